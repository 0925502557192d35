import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../runtime/lib/folder.ts'

// On the host's own machine `berth admin` works before anybody has signed in: who can read this file of mode 0600 can
// read the master key and the database beside it, too, and so gains nothing by it. It is read at each use, so that
// deleting it revokes the token (the next start makes another).

export const localOperatorFile = (dataDir: string) => join(dataDir, 'operator.token')

export function writeLocalOperator(dataDir: string): void {
	makeFolder(dataDir)
	const file = localOperatorFile(dataDir)
	if (read(file) === null) writeFileSync(file, `local_${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
}

/** True where `token` is the one in the file. */
export function readLocalOperator(dataDir: string, token: string): boolean {
	if (!token.startsWith('local_')) return false
	const there = read(localOperatorFile(dataDir))
	return there !== null && timingSafeEqual(sha256(there), sha256(token))
}

function read(file: string): string | null {
	try {
		return readFileSync(file, 'utf8').trim()
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
		throw error
	}
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
