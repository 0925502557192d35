import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** A secret in the forms it could be lying about in: raw, UTF-16, base64 at each alignment, URL-encoded, hex. */
export function forms(secret: string): Map<string, Buffer> {
	const all = new Map<string, Buffer>([
		['raw', Buffer.from(secret)],
		['utf-16', Buffer.from(secret, 'utf16le')],
		['hex', Buffer.from(Buffer.from(secret).toString('hex'))],
	])
	const encoded = encodeURIComponent(secret)
	if (encoded !== secret) all.set('url', Buffer.from(encoded))
	for (const shift of [0, 1, 2]) {
		for (const alphabet of ['base64', 'base64url'] as const) {
			const text = Buffer.from('x'.repeat(shift) + secret).toString(alphabet)
			// The first characters mix with what stood before, the last with what follows.
			all.set(`${alphabet}+${shift}`, Buffer.from(text.slice(shift === 0 ? 0 : 4, -4)))
		}
	}
	return all
}

/** Names of the forms found in the readable memory of a live process. Needs the right to read /proc/PID/mem. */
export function scanProcess(pid: number, needles: Map<string, Buffer>): string[] {
	const found = new Set<string>()
	const longest = Math.max(...[...needles.values()].map((n) => n.length))
	const chunk = Buffer.allocUnsafe(8 << 20)
	const mem = openSync(`/proc/${pid}/mem`, 'r')
	try {
		for (const line of readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n')) {
			const range = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line)
			if (!range || line.includes('[vvar') || line.includes('[vsyscall')) continue
			scanRange(mem, BigInt(`0x${range[1]}`), BigInt(`0x${range[2]}`))
		}
	} finally {
		closeSync(mem)
	}
	return [...found].sort()

	function scanRange(fd: number, from: bigint, to: bigint) {
		for (let at = from; at < to; at += BigInt(chunk.length - longest)) {
			const length = Number(to - at < BigInt(chunk.length) ? to - at : BigInt(chunk.length))
			let read: number
			try {
				read = readSync(fd, chunk, 0, length, at as unknown as number)
			} catch {
				return // a guard page, or unmapped since
			}
			const seen = chunk.subarray(0, read)
			for (const [name, needle] of needles) if (!found.has(name) && seen.includes(needle)) found.add(name)
			if (read < length) return
		}
	}
}

/** Names of the forms found in a file, read in overlapping pieces. */
export function scanFile(path: string, needles: Map<string, Buffer>): string[] {
	const found = new Set<string>()
	const bytes = readFileSync(path)
	for (const [name, needle] of needles) if (bytes.includes(needle)) found.add(name)
	return [...found].sort()
}
