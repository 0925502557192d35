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

/**
 * Names of the forms found in the readable memory of a live process. Needs the right to read /proc/PID/mem. What it shares
 * with others, and files that it cannot write to, is read once for all processes with the same `scanned`; of the rest, the
 * pages that it has touched: most of what V8 reserves is none. A process that has ended has none.
 */
export function scanProcess(
	pid: number,
	needles: Map<string, Buffer>,
	scanned: Set<string> = new Set(),
): string[] {
	const found = new Set<string>()
	const longest = Math.max(...[...needles.values()].map((n) => n.length))
	const chunk = Buffer.allocUnsafe(8 << 20)
	const mem = unlessGone(() => openSync(`/proc/${pid}/mem`, 'r'))
	const pages = unlessGone(() => openSync(`/proc/${pid}/pagemap`, 'r'))
	try {
		if (mem === undefined || pages === undefined) return []
		const maps = unlessGone(() => readFileSync(`/proc/${pid}/maps`, 'latin1')) ?? ''
		for (const line of maps.split('\n')) {
			const range = /^([0-9a-f]+)-([0-9a-f]+) (r\S+) (\S+ \S+ (\d+))/.exec(line)
			if (!range || line.includes('[vvar') || line.includes('[vsyscall')) continue
			const [, begin, end, rights = '', place = '', inode] = range
			const [from, to] = [BigInt(`0x${begin}`), BigInt(`0x${end}`)]
			if (inode !== '0' && (rights.endsWith('s') || !rights.includes('w'))) {
				const same = `${rights} ${place} ${to - from}`
				if (!scanned.has(same)) scanRange(mem, from, to)
				scanned.add(same)
			} else for (const run of touched(pages, from, to)) scanRange(mem, ...run)
		}
	} finally {
		for (const one of [mem, pages]) if (one !== undefined) closeSync(one)
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

const pageBytes = 4096n

/** Runs of pages that are in memory or swapped out. */
function* touched(pages: number, from: bigint, to: bigint): Generator<[bigint, bigint]> {
	const entries = Buffer.alloc(Number((to - from) / pageBytes) * 8)
	const read = readSync(pages, entries, 0, entries.length, Number((from / pageBytes) * 8n))
	let begun: number | null = null
	for (let page = 0; page <= read / 8; page++) {
		// The two highest bits of a little-endian word (Linux, admin-guide/mm/pagemap).
		const there = page < read / 8 && ((entries[page * 8 + 7] as number) & 0xc0) !== 0
		if (there && begun === null) begun = page
		if (there || begun === null) continue
		yield [from + BigInt(begun) * pageBytes, from + BigInt(page) * pageBytes]
		begun = null
	}
}

/** Undefined where the process or file has ended since it was listed: workers of Postgres and its files come and go. */
export function unlessGone<T>(read: () => T): T | undefined {
	try {
		return read()
	} catch (error) {
		if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return undefined
		throw error
	}
}

/** Names of the forms found in a file. */
export function scanFile(path: string, needles: Map<string, Buffer>): string[] {
	const found = new Set<string>()
	const bytes = unlessGone(() => readFileSync(path))
	if (!bytes) return []
	for (const [name, needle] of needles) if (bytes.includes(needle)) found.add(name)
	return [...found].sort()
}
