/**
 * Server-sent events, read as the bytes come. A line ends with a byte that no multi-byte character contains, so only
 * whole lines are decoded and no character is ever cut.
 */
export interface SseParser {
	/** True: an event was complete. */
	push(chunk: Buffer): boolean
	/** The newest `id` and `retry` of the stream. */
	readonly last: { id?: string; retryMs?: number }
}

export function createSseParser(onEvent: (data: string, event: string) => void): SseParser {
	const last: SseParser['last'] = {}
	let rest: Buffer[] = []
	let event = ''
	let data: string | undefined
	let begun = false
	let complete = false

	const line = (text: string) => {
		if (text === '') {
			if (data) {
				complete = true
				onEvent(data, event)
			}
			data = undefined
			event = ''
			return
		}
		const colon = text.indexOf(':')
		const value = text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
		const field = text.slice(0, colon)
		if (field === 'data') data = data === undefined ? value : `${data}\n${value}`
		else if (field === 'event') event = value
		else if (field === 'id') last.id = value
		else if (field === 'retry' && /^\d+$/.test(value)) last.retryMs = Number(value)
	}

	return {
		last,
		push(chunk) {
			complete = false
			const end = chunk.lastIndexOf(10)
			if (end === -1) {
				rest.push(chunk)
				return false
			}
			const whole = chunk.subarray(0, end)
			const text = (rest.length > 0 ? Buffer.concat([...rest, whole]) : whole).toString('utf8')
			rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : []
			for (let from = 0; from <= text.length; ) {
				const at = text.indexOf('\n', from)
				const to = at === -1 ? text.length : at
				// A byte order mark may stand before everything.
				if (!begun && text.charCodeAt(0) === 0xfeff) from = 1
				begun = true
				line(text.slice(from, to > from && text.charCodeAt(to - 1) === 13 ? to - 1 : to))
				from = to + 1
			}
			return complete
		},
	}
}
