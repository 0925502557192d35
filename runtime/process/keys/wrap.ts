/**
 * What is stored outside the runtime is encrypted here: AES-256-GCM under a subkey a purpose (HKDF-SHA-256, RFC 5869),
 * with what the value belongs to as associated data, so that a row copied elsewhere does not open.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { KeyError } from './error.ts'

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

export type Purpose = 'sealing' | 'webhook' | 'oauth' | 'answer' | 'sign_in' | 'check'

export interface Wrapper {
	/** base64url of version, nonce, ciphertext, tag. */
	wrap(purpose: Purpose, plaintext: Uint8Array, belongsTo: readonly string[]): string
	/** Rejects `secret_unreadable`: altered, of another purpose, of another owner, or under another master key. */
	unwrap(purpose: Purpose, wrapped: string, belongsTo: readonly string[]): Buffer
	/** Tells one master key from another and nothing else of it. */
	check(): string
}

export function createWrapper(master: Buffer): Wrapper {
	const keys = new Map<Purpose, Buffer>()
	const keyOf = (purpose: Purpose) => {
		let key = keys.get(purpose)
		if (!key) {
			key = Buffer.from(hkdfSync('sha256', master, new Uint8Array(), `berth ${purpose} v${VERSION}`, 32))
			keys.set(purpose, key)
		}
		return key
	}
	return {
		wrap(purpose, plaintext, belongsTo) {
			const iv = randomBytes(IV_BYTES)
			const cipher = createCipheriv('aes-256-gcm', keyOf(purpose), iv)
			cipher.setAAD(associated(purpose, belongsTo))
			const sealed = [cipher.update(plaintext), cipher.final()]
			return Buffer.concat([Uint8Array.of(VERSION), iv, ...sealed, cipher.getAuthTag()]).toString('base64url')
		},
		unwrap(purpose, wrapped, belongsTo) {
			const bytes = Buffer.from(wrapped, 'base64url')
			if (bytes.length < 1 + IV_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw unreadable()
			const iv = bytes.subarray(1, 1 + IV_BYTES)
			const decipher = createDecipheriv('aes-256-gcm', keyOf(purpose), iv, { authTagLength: TAG_BYTES })
			decipher.setAAD(associated(purpose, belongsTo))
			decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
			try {
				return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()])
			} catch (cause) {
				throw unreadable(cause)
			}
		},
		check: () => createHmac('sha256', keyOf('check')).update('berth master key').digest('base64url'),
	}
}

/** JSON, so that no two lists of names give the same bytes. */
function associated(purpose: Purpose, belongsTo: readonly string[]): Buffer {
	return Buffer.from(JSON.stringify([purpose, ...belongsTo]))
}

function unreadable(cause?: unknown): KeyError {
	return new KeyError('secret_unreadable', 'A stored secret does not open under this master key.', { cause })
}
