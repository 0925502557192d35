export { unlisted } from './lock.ts'
export { openPackages, PACKAGES, type PackageEntry, type Packages } from './plugin.ts'
