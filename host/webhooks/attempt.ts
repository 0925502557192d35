import { type Egress, EgressError, type ResponseHead } from '../../runtime/egress/index.ts'
import { sharedNow } from '../../runtime/lib/clock.ts'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Due } from './claim.ts'

export interface Attempted {
	/** Null: no answer came; `error` says why. */
	status: number | null
	latencyMs: number
	error: string | null
	/** First KiB of the answer. */
	answer: string | null
	/** What the receiver asked for. */
	retryAfterMs: number | null
	/** The attempt was not made: it counts for nothing and is made again. */
	void?: true
}

const answerMaxBytes = 1024
/** An answer up to this size is read to its end, so that its connection can be kept. */
const readMaxBytes = 64 * 1024

const stop = new Error('enough')

/** One attempt, signed as Standard Webhooks says; void where it is stopped unanswered. Never rejects. */
export async function attemptDelivery(
	runtime: Pick<RuntimeClient, 'call'>,
	egress: Egress,
	due: Due,
	timeoutMs: number,
	stopped: AbortSignal,
): Promise<Attempted> {
	const timestamp = Math.floor(sharedNow() / 1000)
	let headers: Record<string, string>
	try {
		const text = `${due.event}.${timestamp}.${due.body}`
		const { signatures } = await runtime.call('webhook.sign', { wrapped: due.secrets, text })
		headers = {
			'content-type': 'application/json; charset=utf-8',
			'user-agent': 'Berth-Webhooks/1',
			'webhook-id': due.event,
			'webhook-timestamp': String(timestamp),
			'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
		}
	} catch (error) {
		return { ...failed(0, `It could not be signed: ${(error as Error).message}`), void: true }
	}
	return post(egress, due, headers, timeoutMs, stopped)
}

async function post(
	egress: Egress,
	due: Due,
	headers: Record<string, string>,
	timeoutMs: number,
	stopped: AbortSignal,
): Promise<Attempted> {
	const startedAt = performance.now()
	const latency = () => Math.round(performance.now() - startedAt)
	const chunks: Buffer[] = []
	let size = 0
	const heads: ResponseHead[] = []
	try {
		await egress.stream(
			due.url,
			{
				method: 'POST',
				headers,
				body: due.body,
				signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopped]),
				headersMs: timeoutMs,
				idleBodyMs: timeoutMs,
				maxBytes: Number.MAX_SAFE_INTEGER,
			},
			{
				onHead: (head) => heads.push(head),
				onChunk(chunk) {
					if (size < answerMaxBytes) chunks.push(chunk)
					size += chunk.length
					if (size > readMaxBytes) throw stop
				},
			},
		)
	} catch (error) {
		// Once the head is there, the receiver has answered; the rest of its answer is of no use to us.
		if (heads.length === 0) {
			const attempted = failed(latency(), reasonOf(error, timeoutMs))
			return stopped.aborted ? { ...attempted, void: true } : attempted
		}
	}
	const head = heads[0] as ResponseHead
	return {
		status: head.status,
		latencyMs: latency(),
		error: null,
		answer: Buffer.concat(chunks).subarray(0, answerMaxBytes).toString('utf8').replaceAll('\0', '\uFFFD'),
		retryAfterMs: retryAfter(head.headers['retry-after']),
	}
}

function reasonOf(error: unknown, timeoutMs: number): string {
	if (error instanceof EgressError) return error.message
	const { name, message } = error as Error
	if (name === 'TimeoutError' || name === 'AbortError') return `no answer within ${timeoutMs / 1000} seconds`
	return message
}

const failed = (latencyMs: number, error: string): Attempted => ({
	status: null,
	latencyMs,
	error: error.replaceAll('\0', ''),
	answer: null,
	retryAfterMs: null,
})

const retryAfterMaxMs = 24 * 3_600_000

/** Seconds or a date (RFC 9110); a day at most. */
function retryAfter(header: string | string[] | undefined): number | null {
	const text = Array.isArray(header) ? header[0] : header
	if (text === undefined) return null
	const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - sharedNow()
	return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), retryAfterMaxMs) : null
}
