import { Problem } from '../http/errors.ts'

interface Held {
	count: number
	bytes: number
}

const MiB = 1024 * 1024
/** More than twenty at once are a mistake, and as many with the largest bundles hold memory. */
const ofAccount: Held = { count: 32, bytes: 64 * MiB }
const ofAll: Held = { count: 256, bytes: 256 * MiB }
/** A run key may be anybody's: what comes with keys has room of its own, so that owners deploy beside it. */
const ofKey: Held = { count: 16, bytes: 32 * MiB }
/** Also of a small one. */
const leastBytes = 64 * 1024

/** `key`: of an upload by a run key, or by a token for one agent alone. */
export interface Uploader {
	account: string
	key?: string
}

/** By its name, only while there is something in it. */
const rooms = new Map<string, Held>()

/** Takes room for an upload before its body is read. The answer gives it back, once. */
export function enterUpload(by: Uploader, length: number): () => void {
	const bytes = Math.max(length, leastBytes)
	const taken = roomsOf(by).map(({ name, most, refusal }) => {
		const room = rooms.get(name) ?? { count: 0, bytes: 0 }
		if (room.count >= most.count || room.bytes + bytes > most.bytes) throw refusal()
		return { name, room }
	})
	for (const { name, room } of taken) {
		rooms.set(name, room)
		room.count++
		room.bytes += bytes
	}
	let left = false
	return () => {
		if (left) return
		left = true
		for (const { name, room } of taken) {
			room.count--
			room.bytes -= bytes
			if (room.count === 0) rooms.delete(name)
		}
	}
}

function roomsOf({ account, key }: Uploader) {
	const kind = key === undefined ? 'owners' : 'keys'
	return [
		...(key === undefined ? [] : [{ name: `key ${key}`, most: ofKey, refusal: busy('with this key') }]),
		{ name: `${kind} of ${account}`, most: ofAccount, refusal: busy('of your account') },
		{ name: kind, most: ofAll, refusal: full },
	]
}

const busy = (whose: string) => () =>
	new Problem('rate_limited', `Too many uploads ${whose} are under way.`, { headers: { 'retry-after': '2' } })

const full = () =>
	new Problem('overloaded', 'Too many uploads are under way on this host.', {
		headers: { 'retry-after': '5' },
	})
