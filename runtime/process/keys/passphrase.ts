/**
 * The master key as a backup carries it: encrypted under a passphrase, by scrypt (RFC 7914) and AES-256-GCM. A program of
 * its own (dist/master-key.mjs), so that the host's code never handles the key.
 */

import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scryptSync } from 'node:crypto'
import {
	closeSync,
	existsSync,
	fsyncSync,
	linkSync,
	openSync,
	readFileSync,
	rmSync,
	writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../../lib/folder.ts'
import { KeyError } from './error.ts'
import { KEY_BYTES, loadMasterKeys } from './master-key.ts'
import { createWrapper } from './wrap.ts'

export { addKey, checksIn, keepKey } from './key-file.ts'

/** 128 MiB and 0.4 s a guess. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
/** A file may ask for twice that, not for all memory of the machine. */
const MAX_MEMORY = 512 * 2 ** 20

const carried = z.strictObject({
	kdf: z.literal('scrypt'),
	N: z
		.int()
		.min(2)
		.max(2 ** 18),
	r: z.int().min(1).max(8),
	p: z.int().min(1).max(4),
	salt: z.base64url(),
	cipher: z.literal('aes-256-gcm'),
	nonce: z.base64url(),
	ciphertext: z.base64url(),
	tag: z.base64url(),
})
type Carried = z.infer<typeof carried>

/** The key of `file`, encrypted. Throws where it is not the one whose check value the database has. */
export function sealMasterKey(file: string, check: string, passphrase: string): Carried {
	const keys = loadMasterKeys({ file, mayGenerate: false })
	// The one in use comes first; another opens what has not been encrypted anew yet.
	const inUse = keys.filter((one) => createWrapper(one).check() === check)
	const key = Buffer.concat([...inUse, ...keys.filter((one) => !inUse.includes(one))])
	for (const one of keys) one.fill(0)
	if (inUse.length === 0)
		throw unusable(
			`The master key in ${file} is not this database's. Name the right file in MASTER_KEY_FILE.`,
		)
	const salt = randomBytes(16)
	const nonce = randomBytes(12)
	const cipher = createCipheriv('aes-256-gcm', derive(passphrase, salt, COST), nonce)
	cipher.setAAD(belongsTo(check))
	const ciphertext = Buffer.concat([cipher.update(key), cipher.final()]).toString('base64url')
	key.fill(0)
	return {
		kdf: 'scrypt',
		...COST,
		salt: salt.toString('base64url'),
		cipher: 'aes-256-gcm',
		nonce: nonce.toString('base64url'),
		ciphertext,
		tag: cipher.getAuthTag().toString('base64url'),
	}
}

/** Throws where the passphrase is another, or the key not the database's. */
export function openMasterKey(document: unknown, check: string, passphrase: string): Buffer {
	const read = carried.safeParse(document)
	if (!read.success) throw unusable('The master key of this backup is not in a form that this Berth knows.')
	const { salt, nonce, ciphertext, tag, N, r, p } = read.data
	const key = derive(passphrase, Buffer.from(salt, 'base64url'), { N, r, p })
	const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
		authTagLength: 16,
	})
	try {
		decipher.setAAD(belongsTo(check))
		decipher.setAuthTag(Buffer.from(tag, 'base64url'))
		const opened = Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64url')), decipher.final()])
		const whole = opened.length === KEY_BYTES || opened.length === 2 * KEY_BYTES
		if (whole && createWrapper(opened.subarray(0, KEY_BYTES)).check() === check) return opened
	} catch {
		// Told below: nobody can say whether the passphrase or the file is wrong.
	}
	throw unusable('The master key of this backup does not open with this passphrase.')
}

/** Whole or not at all. A file that holds this key already stays; one with another key is refused. */
export function placeMasterKey(file: string, key: Buffer): void {
	if (existsSync(file)) {
		if (Buffer.concat(loadMasterKeys({ file, mayGenerate: false })).equals(key)) return
		throw unusable(
			`${file} holds another master key. Move it away, or set MASTER_KEY_FILE to a file that does not exist.`,
		)
	}
	makeFolder(dirname(file))
	const beside = `${file}.${process.pid}`
	try {
		const fd = openSync(beside, 'wx', 0o600)
		try {
			for (let at = 0; at < key.length; at += KEY_BYTES)
				writeSync(fd, `${key.subarray(at, at + KEY_BYTES).toString('base64url')}\n`)
			fsyncSync(fd)
		} finally {
			closeSync(fd)
		}
		linkSync(beside, file)
	} finally {
		rmSync(beside, { force: true })
	}
}

/** Of a file that only its owner should read, or of standard input (`-`). */
export function readPassphrase(file: string): string {
	return readFileSync(file === '-' ? 0 : file, 'utf8').trim()
}

const derive = (passphrase: string, salt: Buffer, cost: ScryptOptions) =>
	scryptSync(passphrase.normalize('NFC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY })

const belongsTo = (check: string) => Buffer.from(JSON.stringify(['berth master key', check]))

const unusable = (message: string) => new KeyError('master_key_unusable', message)
