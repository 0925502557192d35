/** What a body is: by its label or, where that is `text/plain` or missing, by its first bytes. */
import type { ResponseHead } from './types.ts'

export const EVENTS = 'text/event-stream'
const UNSURE = new Set(['', 'text/plain'])
const MARK = '\u00ef\u00bb\u00bf'
/** What a stream of events begins with, after a byte order mark and empty lines. */
const BEGINNINGS = [MARK, 'data:', 'event:', 'id:', 'retry:', ':']
/** Empty lines before the first event included. */
const START_MAX_BYTES = 64

export function mediaType({ headers }: Pick<ResponseHead, 'headers'>): string {
	const [type = ''] = String(headers['content-type'] ?? '').split(/[;,]/)
	return type.trim().toLowerCase()
}

/** Undefined: the body's next bytes must tell. */
export function isEvents(type: string, start: Buffer): boolean | undefined {
	if (!UNSURE.has(type)) return type === EVENTS
	const text = start.toString('latin1', 0, START_MAX_BYTES)
	const rest = (text.startsWith(MARK) ? text.slice(MARK.length) : text).replace(/^[\r\n]+/, '')
	if (BEGINNINGS.some((beginning) => rest.startsWith(beginning))) return true
	const open = start.length < START_MAX_BYTES && BEGINNINGS.some((beginning) => beginning.startsWith(rest))
	return open ? undefined : false
}

/** Hands a body's chunks to one of two, from its first byte, once it is clear which. */
export function sorted(
	type: string,
	events: (chunk: Buffer) => boolean,
	other: (chunk: Buffer) => boolean,
): (chunk: Buffer) => boolean {
	let start: Buffer = Buffer.alloc(0)
	let to: typeof events | undefined
	return (chunk) => {
		if (to) return to(chunk)
		start = start.length > 0 ? Buffer.concat([start, chunk]) : chunk
		const known = isEvents(type, start)
		if (known === undefined) return true
		to = known ? events : other
		return to(start)
	}
}
