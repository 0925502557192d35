// Backup and restore of a host's database, for `berth backup` and `berth restore` (dist/backup.mjs).

export { type Opened, openSource, openTarget, type Where } from './connect.ts'
export { BackupError } from './error.ts'
export type { Manifest } from './manifest.ts'
export { type RestoreOptions, restore } from './restore.ts'
export { type Verified, verify } from './verify.ts'
export { type BackupOptions, backup } from './write.ts'
