/** What `berth master-key` does to the master key file. A part of dist/master-key.mjs: the host never handles a key. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { KeyError } from './error.ts'
import { KEY_BYTES, loadMasterKeys } from './master-key.ts'
import { createWrapper } from './wrap.ts'

const read = (file: string) => loadMasterKeys({ file, mayGenerate: false })
const checkOf = (key: Buffer) => createWrapper(key).check()

/** Check values of its keys, in the order of its lines. */
export const checksIn = (file: string): string[] => read(file).map(checkOf)

/** A new key as its second line. Answers with its check value; one that was added before is left as it is. */
export function addKey(file: string): string {
	const keys = read(file)
	const added = keys[1] ?? randomBytes(KEY_BYTES)
	if (keys.length === 1) write(file, [...keys, added])
	return checkOf(added)
}

/** Leaves the key of this check value alone in it. */
export function keepKey(file: string, check: string): void {
	const keys = read(file)
	const kept = keys.filter((key) => checkOf(key) === check)
	if (kept.length === 0) throw new KeyError('master_key_unusable', `${file} does not hold the key in use.`)
	if (kept.length < keys.length) write(file, kept)
}

/** Whole or not at all: a crash leaves the file as it was, or as it shall be. */
function write(file: string, keys: Buffer[]): void {
	const beside = `${file}.${process.pid}`
	try {
		const fd = openSync(beside, 'wx', 0o600)
		try {
			writeSync(fd, keys.map((key) => `${key.toString('base64url')}\n`).join(''))
			fsyncSync(fd)
		} finally {
			closeSync(fd)
		}
		renameSync(beside, file)
		const folder = openSync(dirname(file), 'r')
		try {
			fsyncSync(folder)
		} finally {
			closeSync(folder)
		}
	} finally {
		rmSync(beside, { force: true })
	}
}
