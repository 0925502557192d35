import { Approval, ApprovalList, type DecideApproval } from '../../api/approvals.ts'
import { ReplayReport } from '../../api/replay.ts'
import { AccountRunPage, ErasedRun, Run, RunDetail, RunEvent, RunPage } from '../../api/runs.ts'
import { type BundleFile, form } from './deployments.ts'
import type { Http } from './http.ts'
import { ApiError } from './problem.ts'

export interface RunOptions {
	/** The run key; without it the client's own token. */
	token?: string
	idempotencyKey?: string
	signal?: AbortSignal
}

export interface AccountRunFilter {
	status?: string
	deployment?: string
	code?: string
	/** A run key, or the lineage of one. */
	key?: string
	since?: string
	until?: string
	limit?: number
	cursor?: string
}

/** `full`: with what the model was sent, and without what is still to come. */
type After = RunOptions & { after?: number; full?: boolean }

/** The host answers 202 after its own patience (100 s by default); the call waits a little longer than that. */
const WAIT_SECONDS = 100
const WAIT_MARGIN_MS = 30_000
const REPLAY_TIMEOUT_MS = 150_000
const STREAM_TIMEOUT_MS = 86_400_000
/** A stream is given up when nothing was to be had for so long: a host that is started again takes less. */
const RECONNECT_FOR_MS = 60_000
const RECONNECT_FIRST_MS = 250
const RECONNECT_MAX_MS = 4_000
/** What a host, or a proxy before it, answers while there is none. */
const PASSING = [0, 429, 502, 503, 504]

const TERMINAL = ['run.completed', 'run.failed', 'run.cancelled']
export const isTerminal = ({ type }: RunEvent) => TERMINAL.includes(type)

/** What a run key, or the owner, may do at one deployment's address. */
export function runCalls(http: Http, base: string) {
	const at = (url: string, run: string, rest = '') => `${url}/runs/${encodeURIComponent(run)}${rest}`
	const start = (url: string, inputs: object, headers: Record<string, string>, options: RunOptions) => ({
		method: 'POST' as const,
		url: `${url}/run`,
		body: { inputs },
		headers: {
			...headers,
			...(options.idempotencyKey !== undefined && { 'Idempotency-Key': options.idempotencyKey }),
		},
		token: options.token,
		signal: options.signal,
	})

	return {
		/** Waits for the run's end; past `waitSeconds` it resolves with the run as it is then. */
		run: (url: string, inputs: object, options: RunOptions & { waitSeconds?: number } = {}) => {
			const { waitSeconds } = options
			const prefer: Record<string, string> =
				waitSeconds === undefined ? {} : { Prefer: `wait=${waitSeconds}` }
			const timeoutMs = (waitSeconds ?? WAIT_SECONDS) * 1000 + WAIT_MARGIN_MS
			return http.json(Run, { ...start(url, inputs, prefer, options), timeoutMs })
		},
		runAsync: (url: string, inputs: object, options: RunOptions = {}) =>
			http.json(Run, start(url, inputs, { Prefer: 'respond-async' }, options)),
		/** Starts a run and yields its events to the last one, over broken connections. */
		async *stream(url: string, inputs: object, options: RunOptions = {}): AsyncGenerator<RunEvent> {
			const call = start(url, inputs, { Accept: 'text/event-stream' }, options)
			const response = await http.send({ ...call, timeoutMs: STREAM_TIMEOUT_MS })
			// Where not even the first event came: the run is there all the same.
			const begun = response.headers.get('content-location')?.split('/').at(-1)
			let last: RunEvent | undefined
			try {
				for await (const event of eventsOf(response)) {
					last = event
					yield event
				}
			} catch (error) {
				if (!(last || begun) || options.signal?.aborted) throw error
			}
			const run = last?.run ?? begun
			if (run && !(last && isTerminal(last))) yield* follow(url, run, { ...options, after: last?.seq })
		},
		events,
		follow,
		list: (
			url: string,
			query: { status?: string; limit?: number; cursor?: string } = {},
			{ token }: RunOptions = {},
		) => http.json(RunPage, { method: 'GET', url: `${url}/runs`, query, token }),
		get: (url: string, run: string, { token }: RunOptions = {}) =>
			http.json(Run, { method: 'GET', url: at(url, run), token }),
		cancel: (url: string, run: string, { token }: RunOptions = {}) =>
			http.json(Run, { method: 'POST', url: at(url, run, '/cancel'), token }),
		/** Its owner's; of a run that has ended. */
		/** `url` null: by its id alone, which also finds a run of a deleted deployment. */
		erase: (url: string | null, run: string) =>
			http.json(ErasedRun, {
				method: 'DELETE',
				url: url === null ? `${base}/v1/runs/${encodeURIComponent(run)}` : at(url, run),
			}),
		/** What the run asks a person; deciding is its owner's. */
		approvals: (url: string, run: string, { token }: RunOptions = {}) =>
			http.json(ApprovalList, { method: 'GET', url: at(url, run, '/approvals'), token }),
		decide: (url: string, run: string, approval: string, decision: DecideApproval) =>
			http.json(Approval, {
				method: 'POST',
				url: at(url, run, `/approvals/${encodeURIComponent(approval)}`),
				body: decision,
			}),
		/** From its journal, with its own bundle or that of another version. */
		replay: (run: string, { version, full }: { version?: number; full?: boolean } = {}) =>
			http.json(ReplayReport, {
				method: 'POST',
				url: `${base}/v1/runs/${encodeURIComponent(run)}/replay`,
				query: { version, full: full ? 'true' : undefined },
				timeoutMs: REPLAY_TIMEOUT_MS,
			}),
		replayWith: (run: string, bundle: BundleFile) =>
			http.json(ReplayReport, {
				method: 'POST',
				url: `${base}/v1/runs/${encodeURIComponent(run)}/replay/bundle`,
				encoded: form(bundle),
				timeoutMs: REPLAY_TIMEOUT_MS,
			}),
		/** By its id alone, over all deployments of the account. */
		one: (run: string) =>
			http.json(RunDetail, { method: 'GET', url: `${base}/v1/runs/${encodeURIComponent(run)}` }),
		/** Over all deployments of the account. */
		all: (query: AccountRunFilter) =>
			http.json(AccountRunPage, { method: 'GET', url: `${base}/v1/runs`, query: { ...query } }),
	}

	/** Events of a run as one stream gives them; `after` is the `seq` of the last one seen. */
	async function* events(
		url: string,
		run: string,
		{ after, full, token, signal }: After = {},
	): AsyncGenerator<RunEvent> {
		const response = await http.send({
			method: 'GET',
			url: at(url, run, '/events'),
			query: { full: full ? 'true' : undefined },
			headers: {
				Accept: 'text/event-stream',
				...(after !== undefined && { 'Last-Event-ID': String(after) }),
			},
			timeoutMs: STREAM_TIMEOUT_MS,
			token,
			signal,
		})
		yield* eventsOf(response)
	}

	/** To the run's end: where a stream breaks, another goes on after the last event that came. */
	async function* follow(url: string, run: string, options: After = {}): AsyncGenerator<RunEvent> {
		let { after } = options
		let heard = performance.now()
		for (let wait = RECONNECT_FIRST_MS; ; wait = Math.min(wait * 2, RECONNECT_MAX_MS)) {
			const opened = performance.now()
			let broke: unknown = new ApiError(0, 'unreachable', 'the stream of events ends again and again')
			try {
				for await (const event of events(url, run, { ...options, after })) {
					after = event.seq
					heard = performance.now()
					wait = RECONNECT_FIRST_MS
					yield event
					if (isTerminal(event)) return
				}
			} catch (error) {
				if (options.signal?.aborted || (error instanceof ApiError && !PASSING.includes(error.status)))
					throw error
				broke = error
			}
			// A run that waits has nothing to tell, for as long as its streams last.
			if (performance.now() - opened > RECONNECT_MAX_MS) heard = performance.now()
			if (performance.now() - heard > RECONNECT_FOR_MS) throw broke
			await new Promise((resolve) => setTimeout(resolve, wait))
		}
	}
}

async function* eventsOf(response: Response): AsyncGenerator<RunEvent> {
	if (!response.body) throw new ApiError(response.status, 'unexpected_answer', 'the event stream has no body')
	// Loaded with the first stream: with it comes what Node has of web streams.
	const { EventSourceParserStream } = await import('eventsource-parser/stream')
	const text = response.body.pipeThrough(new TextDecoderStream())
	for await (const { data } of partsOf(text.pipeThrough(new EventSourceParserStream()))) {
		const event = RunEvent.safeParse(parse(data))
		if (!event.success) {
			throw new ApiError(response.status, 'unexpected_answer', 'the stream holds what is no event of a run')
		}
		yield event.data
	}
}

/** Not every browser can loop over a stream by itself. */
async function* partsOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
	const reader = stream.getReader()
	try {
		for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
	} finally {
		// Whoever has heard enough closes the connection.
		await reader.cancel().catch(() => {})
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}
