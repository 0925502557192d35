export interface ServerEvent {
	id: string
	event: string
	data: string
}

/** Reads `text/event-stream` (WHATWG HTML §9.2), as far as servers that send one line feed style need it. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
	let id = ''
	let event = ''
	let data: string[] = []
	for await (const line of lines(body)) {
		if (line === '') {
			if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') }
			event = ''
			data = []
			continue
		}
		const colon = line.indexOf(':')
		if (colon === 0) continue
		const field = colon < 0 ? line : line.slice(0, colon)
		const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
		if (field === 'id') id = value
		else if (field === 'event') event = value
		else if (field === 'data') data.push(value)
	}
}

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder()
	let rest = ''
	for await (const chunk of body) {
		rest += decoder.decode(chunk, { stream: true })
		const parts = rest.split(/\r?\n/)
		rest = parts.pop() ?? ''
		yield* parts
	}
}
