/**
 * Four bytes shared with a sandbox process: which run it executes. A pipe could not say it, as a process that hangs or
 * dies sends nothing; a page that both hold survives it.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Mark {
	/** To be inherited by the child. */
	fd: number
	read(): number
	close(): void
}

const MEMORY_DIR = '/dev/shm'

export function openMark(): Mark {
	const path = join(
		existsSync(MEMORY_DIR) ? MEMORY_DIR : tmpdir(),
		`berth-${randomBytes(12).toString('hex')}`,
	)
	const fd = openSync(path, 'wx+', 0o600)
	unlinkSync(path)
	const bytes = Buffer.alloc(4)
	return {
		fd,
		read: () => (readSync(fd, bytes, 0, 4, 0) === 4 ? bytes.readInt32LE() : 0),
		close: () => closeSync(fd),
	}
}
