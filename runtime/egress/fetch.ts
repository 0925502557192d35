import type { Egress, EgressRequest, ResponseHead } from './types.ts'

export interface FetchLimits extends Pick<EgressRequest, 'headersMs' | 'idleBodyMs' | 'maxBytes'> {
	/** From the request to the last byte, however steadily they come. */
	totalMs: number
}

/** Discovery documents, registrations, token answers. */
export const fetchLimits: FetchLimits = {
	headersMs: 10_000,
	idleBodyMs: 10_000,
	maxBytes: 1024 * 1024,
	totalMs: 30_000,
}

const bodyless = new Set([204, 205, 304])

/**
 * `fetch` over the guard for libraries that ask for one. Redirects come back as they are; only texts are sent; an
 * answer may be read as it comes.
 */
export function createFetch(
	stream: Egress['stream'],
	{ totalMs, ...limits }: FetchLimits = fetchLimits,
): typeof globalThis.fetch {
	return async (input, init) => {
		const request = input instanceof Request ? input : undefined
		const url = request?.url ?? String(input)
		const headers = new Headers(init?.headers ?? request?.headers)
		const text = init?.body === undefined ? await request?.text() : await new Response(init.body).text()
		if (init?.body instanceof URLSearchParams && !headers.has('content-type')) {
			headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
		}
		const stop = new AbortController()
		const given = init?.signal ?? request?.signal
		return new Promise<Response>((resolve, reject) => {
			let body: ReadableStreamDefaultController<Uint8Array> | undefined
			const readable = new ReadableStream<Uint8Array>({
				start: (controller) => {
					body = controller
				},
				cancel: () => stop.abort(),
			})
			stream(
				url,
				{
					...limits,
					method: (init?.method ?? request?.method ?? 'GET') as EgressRequest['method'],
					headers: Object.fromEntries(headers),
					...(text && { body: text }),
					signal: AbortSignal.any([stop.signal, AbortSignal.timeout(totalMs), ...(given ? [given] : [])]),
				},
				{
					onHead: (head) =>
						resolve(new Response(bodyless.has(head.status) ? null : readable, responseInit(head))),
					onChunk: (chunk) => body?.enqueue(chunk),
				},
			).then(
				() => body?.close(),
				(error) => {
					reject(error)
					if (!stop.signal.aborted) body?.error(error)
				},
			)
		})
	}
}

function responseInit({ status, headers }: ResponseHead): ResponseInit {
	const list: [string, string][] = []
	for (const [name, value] of Object.entries(headers)) {
		for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) list.push([name, one])
	}
	return { status, headers: list }
}
