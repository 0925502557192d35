/**
 * The master key file: 32 random bytes as base64url, mode 0600; while the key is changed a second line holds the new one. Whoever holds it and the database can read every
 * credential, so it is made once, never written over, and refused where others on the machine could read it.
 */
import { randomBytes } from 'node:crypto'
import {
	closeSync,
	fstatSync,
	fsyncSync,
	linkSync,
	openSync,
	readFileSync,
	rmSync,
	type Stats,
	writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../lib/folder.ts'
import { KeyError } from './error.ts'

export const KEY_BYTES = 32
/** The one in use, and one that is to be or was. */
const KEYS_MOST = 2
const OTHERS = 0o077
/** Of a file of root's that one group of ours may read: so does Kubernetes mount the secrets of a pod. */
const OTHERS_OF_MOUNTED = 0o037

export function loadMasterKeys({ file, mayGenerate }: { file: string; mayGenerate: boolean }): Buffer[] {
	const keys = read(file)
	if (keys) return keys
	if (!mayGenerate) {
		throw new KeyError(
			'master_key_missing',
			`There is no master key at ${file}, and the database was made with one. Copy the file from the host that has it (mode 0600), or name it in MASTER_KEY_FILE.`,
		)
	}
	generate(file)
	return read(file) as Buffer[]
}

function read(file: string): Buffer[] | undefined {
	let fd: number
	try {
		fd = openSync(file, 'r')
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
		throw refused(
			`The master key file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
			error,
		)
	}
	try {
		const stat = fstatSync(fd)
		if (!stat.isFile()) throw refused(`${file} is not a file.`)
		if (!isSecret(stat)) {
			const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
			throw refused(`Others can read the master key file ${file} (mode ${mode}). Run: chmod 600 ${file}`)
		}
		const lines = readFileSync(fd, 'utf8').trim().split(/\r?\n/)
		const keys = lines.map((line) => Buffer.from(line, 'base64url'))
		const whole = keys.every((key, at) => key.length === KEY_BYTES && key.toString('base64url') === lines[at])
		if (!whole || keys.length > KEYS_MOST) {
			throw refused(
				`${file} does not hold a master key (${KEY_BYTES} bytes as base64url). Restore the file from its copy; a new key could not open what the old one sealed.`,
			)
		}
		return keys
	} finally {
		closeSync(fd)
	}
}

/** Whether nobody but us, and root, can read the file. */
export function isSecret(
	{ mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>,
	self = { uid: process.getuid?.() ?? 0, groups: process.getgroups?.() ?? [] },
): boolean {
	const mounted = uid === 0 && self.uid !== 0 && gid !== 0 && self.groups.includes(gid)
	return (mode & (mounted ? OTHERS_OF_MOUNTED : OTHERS)) === 0
}

/** Written beside and linked into place: two processes that start at once end with one key, a crash with none or a whole one. */
function generate(file: string): void {
	const folder = dirname(file)
	makeFolder(folder)
	const beside = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`
	try {
		const fd = openSync(beside, 'wx', 0o600)
		try {
			writeSync(fd, `${randomBytes(KEY_BYTES).toString('base64url')}\n`)
			fsyncSync(fd)
		} finally {
			closeSync(fd)
		}
		linkSync(beside, file)
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
		throw refused(
			`The master key cannot be written to ${file} (${(error as NodeJS.ErrnoException).code}).`,
			error,
		)
	} finally {
		rmSync(beside, { force: true })
	}
	const fd = openSync(folder, 'r')
	try {
		fsyncSync(fd)
	} finally {
		closeSync(fd)
	}
}

function refused(message: string, cause?: unknown): KeyError {
	return new KeyError('master_key_unusable', message, cause === undefined ? undefined : { cause })
}
