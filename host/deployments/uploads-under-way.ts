import { Problem } from '../http/errors.ts'

/** Of one account: more than twenty at once are a mistake, and as many with the largest bundles hold memory. */
const perAccount = { count: 32, bytes: 64 * 1024 * 1024 }
const ofAll = { count: 256, bytes: 256 * 1024 * 1024 }
/** Also of a small one. */
const leastBytes = 64 * 1024

interface Held {
	count: number
	bytes: number
}

/** By account, only while there are any. */
const held = new Map<string, Held>()
const all: Held = { count: 0, bytes: 0 }

/** Takes room for an upload before its body is read. The answer gives it back, once. */
export function enterUpload(accountId: string, length: number): () => void {
	const bytes = Math.max(length, leastBytes)
	const own = held.get(accountId) ?? { count: 0, bytes: 0 }
	const full = (room: Held, max: Held) => room.count >= max.count || room.bytes + bytes > max.bytes
	if (full(own, perAccount)) {
		throw new Problem('rate_limited', 'Too many uploads of your account are under way.', {
			headers: { 'retry-after': '2' },
		})
	}
	if (full(all, ofAll)) {
		throw new Problem('overloaded', 'Too many uploads are under way on this host.', {
			headers: { 'retry-after': '5' },
		})
	}
	held.set(accountId, own)
	const add = (count: 1 | -1) => {
		for (const room of [own, all]) {
			room.count += count
			room.bytes += count * bytes
		}
	}
	add(1)
	let left = false
	return () => {
		if (left) return
		left = true
		add(-1)
		if (own.count === 0) held.delete(accountId)
	}
}
