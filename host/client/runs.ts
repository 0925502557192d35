import { LiveRunPage, Run, RunEvent, RunPage } from '../api/runs.ts'
import { readEvents } from './events.ts'
import type { Http } from './http.ts'
import { ApiError } from './problem.ts'

export interface RunOptions {
	/** The run key; without it the client's own token. */
	token?: string
	idempotencyKey?: string
	signal?: AbortSignal
}

/** The host answers 202 after its own patience (100 s by default); the call waits a little longer than that. */
const WAIT_SECONDS = 100
const WAIT_MARGIN_MS = 30_000
const STREAM_TIMEOUT_MS = 86_400_000

/** What a run key, or the owner, may do at one deployment's address (contract 8). */
export function runCalls(http: Http, base: string) {
	const headersOf = ({ idempotencyKey }: RunOptions): Record<string, string> =>
		idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
	const rest = ({ token, signal }: RunOptions) => ({
		...(token !== undefined && { token }),
		...(signal && { signal }),
	})

	return {
		/** Waits for the run's end; past `waitSeconds` it resolves with the run as it is then. */
		run: (url: string, inputs: object, options: RunOptions & { waitSeconds?: number } = {}) => {
			const wait = options.waitSeconds ?? WAIT_SECONDS
			const prefer: Record<string, string> =
				options.waitSeconds === undefined ? {} : { Prefer: `wait=${wait}` }
			const headers = { ...prefer, ...headersOf(options) }
			const timeoutMs = wait * 1000 + WAIT_MARGIN_MS
			return http.json(Run, {
				method: 'POST',
				url: `${url}/run`,
				body: { inputs },
				headers,
				timeoutMs,
				...rest(options),
			})
		},
		runAsync: (url: string, inputs: object, options: RunOptions = {}) => {
			const headers = { Prefer: 'respond-async', ...headersOf(options) }
			return http.json(Run, {
				method: 'POST',
				url: `${url}/run`,
				body: { inputs },
				headers,
				...rest(options),
			})
		},
		/** Starts a run and yields its events to the last one. */
		async *stream(url: string, inputs: object, options: RunOptions = {}): AsyncGenerator<RunEvent> {
			const headers = { Accept: 'text/event-stream', ...headersOf(options) }
			const response = await http.send({
				method: 'POST',
				url: `${url}/run`,
				body: { inputs },
				headers,
				timeoutMs: STREAM_TIMEOUT_MS,
				...rest(options),
			})
			yield* eventsOf(response)
		},
		/** Events of a run; `after` is the `seq` of the last one seen. */
		async *events(
			url: string,
			run: string,
			options: RunOptions & { after?: number } = {},
		): AsyncGenerator<RunEvent> {
			const last: Record<string, string> =
				options.after === undefined ? {} : { 'Last-Event-ID': String(options.after) }
			const response = await http.send({
				method: 'GET',
				url: `${url}/runs/${encodeURIComponent(run)}/events`,
				headers: { Accept: 'text/event-stream', ...last },
				timeoutMs: STREAM_TIMEOUT_MS,
				...rest(options),
			})
			yield* eventsOf(response)
		},
		list: (
			url: string,
			query: { status?: string; limit?: number; cursor?: string } = {},
			options: RunOptions = {},
		) => http.json(RunPage, { method: 'GET', url: `${url}/runs`, query, ...rest(options) }),
		get: (url: string, run: string, options: RunOptions = {}) =>
			http.json(Run, { method: 'GET', url: `${url}/runs/${encodeURIComponent(run)}`, ...rest(options) }),
		cancel: (url: string, run: string, options: RunOptions = {}) =>
			http.json(Run, {
				method: 'POST',
				url: `${url}/runs/${encodeURIComponent(run)}/cancel`,
				...rest(options),
			}),
		/** Over all deployments of the account. */
		live: (query: { deployment?: string; limit?: number; cursor?: string } = {}) =>
			http.json(LiveRunPage, { method: 'GET', url: `${base}/v1/runs`, query: { status: 'live', ...query } }),
	}
}

async function* eventsOf(response: Response): AsyncGenerator<RunEvent> {
	if (!response.body) throw new ApiError(response.status, 'unexpected_answer', 'the event stream has no body')
	for await (const { data } of readEvents(response.body)) {
		const event = RunEvent.safeParse(parse(data))
		if (!event.success)
			throw new ApiError(response.status, 'unexpected_answer', 'the stream holds what is no event of a run')
		yield event.data
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}
