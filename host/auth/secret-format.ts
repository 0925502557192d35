import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { newSuffix } from '../lib/ids.ts'

/**
 * What a secret opens. Prefixes: `brk` run key, `bpt` personal token, `bup` upload, `bss` session, `bco` console, `bsi`
 * sign-in link.
 */
export type SecretKind = 'run_key' | 'personal' | 'upload' | 'session' | 'console' | 'sign_in'

export const prefixes = {
	run_key: 'brk',
	personal: 'bpt',
	upload: 'bup',
	session: 'bss',
	console: 'bco',
	sign_in: 'bsi',
} as const satisfies Record<SecretKind, string>

const kinds = new Map<string, SecretKind>(
	Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as SecretKind]),
)

// `<prefix>_<id's 26 characters>_<256 random bits in base62: 43>_<CRC-32 of all before it in base62: 6>`: scanners find
// it, and garbage is turned away before any look-up or hashing.
const format = /^(brk|bpt|bup|bss|bco|bsi)_([0-9a-hjkmnp-tv-z]{26})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newSecret(kind: SecretKind): { id: string; secret: string } {
	const suffix = newSuffix()
	const body = `${prefixes[kind]}_${suffix}_${randomBase62(32, 43)}`
	return { id: `${kind === 'run_key' ? 'key' : 'tok'}_${suffix}`, secret: `${body}_${checksum(body)}` }
}

/** Null: not a secret of ours. */
export function readSecret(text: string): { kind: SecretKind; id: string } | null {
	const parts = format.exec(text)
	if (!parts) return null
	const [, prefix = '', suffix, , crc] = parts
	if (checksum(text.slice(0, -7)) !== crc) return null
	const kind = kinds.get(prefix) as SecretKind
	return { kind, id: `${kind === 'run_key' ? 'key' : 'tok'}_${suffix}` }
}

function checksum(body: string): string {
	return base62(crc32(body), 6)
}

function base62(value: number, width: number): string {
	let out = ''
	for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) out = digits[rest % 62] + out
	return out.padStart(width, '0')
}

function randomBase62(bytes: number, width: number): string {
	let out = ''
	for (let rest = BigInt(`0x${randomBytes(bytes).toString('hex')}`); rest > 0n; rest /= 62n) {
		out = digits[Number(rest % 62n)] + out
	}
	return out.padStart(width, '0')
}
