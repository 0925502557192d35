import { randomFillSync } from 'node:crypto'
import { sharedNow } from '../../runtime/lib/clock.ts'

// TypeIDs: a readable prefix and a UUIDv7 in Crockford's base32 (26 characters), so that ids of one kind sort by the
// time they were made. Within one millisecond a counter in the 12 bits after the time keeps the order.

export type IdPrefix =
	| 'acc'
	| 'tok'
	| 'ldg'
	| 'dep'
	| 'key'
	| 'run'
	| 'evt'
	| 'end'
	| 'dlv'
	| 'apr'
	| 'sch'
	| 'hst'
	| 'req'
	| 'aud'
	| 'alr'
	| 'file'
	| 'blob'

export type Id<P extends IdPrefix = IdPrefix> = `${P}_${string}`

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/
const pool = Buffer.alloc(8 * 512)
let used = pool.length
let lastMs = 0
let counter = 0

export function newId<P extends IdPrefix>(prefix: P): Id<P> {
	return `${prefix}_${newSuffix()}`
}

/** True for `<prefix>_` and a well-formed suffix; anything else from outside is simply not found. */
export function isId<P extends IdPrefix>(prefix: P, text: unknown): text is Id<P> {
	return (
		typeof text === 'string' && text.startsWith(`${prefix}_`) && suffix.test(text.slice(prefix.length + 1))
	)
}

/** Sorts before every id of that kind made at `ms` (of the epoch) or later, and after those made before. None is older than the epoch. */
export function firstId(prefix: IdPrefix, ms: number): string {
	const time = Math.max(0, ms)
	let out = ''
	for (let shift = 45; shift >= 0; shift -= 5) out += alphabet[Math.floor(time / 2 ** shift) & 31]
	return `${prefix}_${out.padEnd(26, '0')}`
}

/** 26 characters: 2 zero bits, then the 128 bits of a UUIDv7. */
export function newSuffix(): string {
	const now = sharedNow()
	if (now > lastMs) {
		lastMs = now
		counter = 0
	} else if (++counter > 0xfff) {
		lastMs++
		counter = 0
	}
	if (used === pool.length) {
		randomFillSync(pool)
		used = 0
	}
	const high = pool.readUInt32BE(used)
	const low = pool.readUInt32BE(used + 4)
	used += 8
	// 130 bits in 26 groups of five: 48 time, 4 version, 12 counter, 2 variant, 62 random.
	let out = ''
	for (let shift = 45; shift >= 0; shift -= 5) out += alphabet[Math.floor(lastMs / 2 ** shift) & 31]
	// The groups above hold time bits 47…0 as 10 groups: 2 leading zero bits + 48 bits.
	const middle = (0x7 << 14) | (counter << 2) | 0b10
	for (let shift = 13; shift >= -2; shift -= 5) {
		out += alphabet[shift >= 0 ? (middle >>> shift) & 31 : ((middle << 2) | (high >>> 30)) & 31]
	}
	// 60 bits remain: 30 of `high`, 30 of `low`'s lower bits.
	for (let shift = 25; shift >= 0; shift -= 5) out += alphabet[(high >>> shift) & 31]
	for (let shift = 25; shift >= 0; shift -= 5) out += alphabet[(low >>> shift) & 31]
	return out
}
