/**
 * Server-sent events, read as the bytes come. A line ends with a byte that no multi-byte character contains, so only
 * whole lines are decoded and no character is ever cut.
 */
export interface SseParser {
	push(chunk: Buffer): void
}

export function createSseParser(onEvent: (data: string, event: string) => void): SseParser {
	let rest: Buffer[] = []
	let event = ''
	let data: string | undefined

	const line = (text: string) => {
		if (text === '') {
			if (data !== undefined) onEvent(data, event)
			data = undefined
			event = ''
		} else if (text.startsWith('data:')) {
			const value = text.slice(text.charCodeAt(5) === 32 ? 6 : 5)
			data = data === undefined ? value : `${data}\n${value}`
		} else if (text.startsWith('event:')) {
			event = text.slice(text.charCodeAt(6) === 32 ? 7 : 6)
		}
	}

	return {
		push(chunk) {
			const last = chunk.lastIndexOf(10)
			if (last === -1) {
				rest.push(chunk)
				return
			}
			const whole = chunk.subarray(0, last)
			const text = (rest.length > 0 ? Buffer.concat([...rest, whole]) : whole).toString('utf8')
			rest = last + 1 < chunk.length ? [chunk.subarray(last + 1)] : []
			for (let from = 0; from <= text.length; ) {
				const at = text.indexOf('\n', from)
				const end = at === -1 ? text.length : at
				line(text.slice(from, end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end))
				from = end + 1
			}
		},
	}
}
