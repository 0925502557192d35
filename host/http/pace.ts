import type { IncomingMessage } from 'node:http'
import { Problem } from './errors.ts'

const windowMs = 10_000
/** In one window; the slowest lines bring more. */
const leastBytes = 10 * 1024

/**
 * The outcome of `work`, which reads the body as it comes. Rejects where the body comes slower than any line is, so that
 * nobody holds room with a few bytes; `work` then ends with the connection.
 */
export async function inPace<T>(body: IncomingMessage, work: Promise<T>): Promise<T> {
	const { promise: stalled, reject } = Promise.withResolvers<never>()
	let before = body.socket.bytesRead
	const timer = setInterval(() => {
		const now = body.socket.bytesRead
		// What lies unread waits for this host, not for its sender.
		const slow = !body.complete && body.readableLength === 0 && now - before < leastBytes
		before = now
		if (!slow) return
		// Once the answer is sent, Node forgets the request, and whoever reads its body would wait for ever.
		body.socket.once('close', () => body.destroy(tooSlow()))
		clearInterval(timer)
		reject(tooSlow())
	}, windowMs)
	try {
		return await Promise.race([work, stalled])
	} catch (error) {
		// As Fastify's own reader marks it: a sender that hangs up is no failure of this host.
		const { errored } = body
		if (errored && error === errored && !(errored instanceof Problem))
			Object.assign(errored, { statusCode: 400 })
		throw error
	} finally {
		clearInterval(timer)
	}
}

const tooSlow = () =>
	new Problem(
		'invalid_request',
		`The upload brought under ${leastBytes / 1024} KiB in ${windowMs / 1000} s. Send it again over a faster line.`,
		{ status: 408, headers: { connection: 'close' } },
	)
