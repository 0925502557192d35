import type { IncomingMessage, RequestOptions } from 'node:http'

/**
 * A `fetch` of Node's own HTTP client for calls that are answered whole. To load the built-in `fetch` takes 40 of a
 * command's 140 ms; what is streamed still goes through it.
 */
export const plainFetch: typeof fetch = async (input, init = {}) => {
	const { method = 'GET', body, signal } = init
	const headers = init.headers as Record<string, string> | undefined
	const sent = body instanceof ArrayBuffer ? new Uint8Array(body) : (body ?? undefined)
	const known = sent === undefined || typeof sent === 'string' || sent instanceof Uint8Array
	if (typeof input !== 'string' || !known || headers?.Accept === 'text/event-stream')
		return fetch(input, init)
	const { version } = await import('../../lib/root.ts')
	signal?.throwIfAborted()
	const url = new URL(input)
	if (url.username || url.password) throw new TypeError('an address with a password is not called')
	try {
		const own = {
			...{ 'User-Agent': `berth/${version}`, 'Accept-Encoding': 'identity' },
			...(sent !== undefined && { 'Content-Length': Buffer.byteLength(sent) }),
		}
		const options = { method, headers: { ...own, ...headers }, signal } as RequestOptions
		const answer = await request(url, options, sent)
		return answered(input, answer, decoded(answer, await bytesOf(answer)))
	} catch (cause) {
		// As the built-in one fails.
		throw signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause })
	}
}

function request(
	url: URL,
	options: RequestOptions,
	body: string | Uint8Array | undefined,
): Promise<IncomingMessage> {
	// An `import` of these modules would load what makes the built-in `fetch` slow: they export its WebSocket.
	const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
	return new Promise((resolve, reject) => {
		request(url, options, resolve)
			.on('upgrade', (answer, socket) => {
				// A 101 without a body: nobody asked for another protocol.
				socket.destroy()
				answer.push(null)
				resolve(answer)
			})
			.on('error', reject)
			// The last event of each request; after an answer or an error it changes nothing.
			.on('close', () => reject(new Error('it closed the connection')))
			.end(body)
	})
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
	const chunks: Buffer[] = []
	for await (const chunk of answer) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks)
}

/** Some proxies encode although it was not asked for. */
function decoded({ headers }: IncomingMessage, bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
	const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
	if (encoding === 'identity' || bytes.length === 0) return bytes
	const { brotliDecompressSync, unzipSync } = process.getBuiltinModule('node:zlib')
	if (encoding === 'br') return brotliDecompressSync(bytes)
	if (/^(x-)?gzip$|^deflate$/.test(encoding)) return unzipSync(bytes)
	throw new Error(`its answer is encoded as ${encoding}, which was not asked for`)
}

/** The parts of a `Response` that the client reads. */
function answered(
	url: string,
	{ statusCode: status = 0, headers }: IncomingMessage,
	bytes: Buffer<ArrayBuffer>,
) {
	// Without a byte order mark.
	const text = async () => new TextDecoder().decode(bytes)
	return {
		...{ url, status, ok: status >= 200 && status < 300, type: 'basic' },
		headers: { get: (name: string) => headers[name.toLowerCase()]?.toString() ?? null },
		text,
		json: async () => JSON.parse(await text()),
		blob: async () => new Blob([bytes], { type: headers['content-type'] ?? '' }),
	} as unknown as Response
}
