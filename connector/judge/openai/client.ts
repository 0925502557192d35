/**
 * One question to an OpenAI-compatible server: one token of answer, with the log-probabilities of its alternatives.
 * A call ends in an answer, or in a JudgeError within its bounds: nothing waits for ever and nothing is guessed.
 */
import { JudgeError } from '../types.ts'

export interface OpenAiSettings {
	/** Base address, with or without `/v1`. */
	url: string
	model: string
	key?: string
	/** Requests in flight at most; the server batches them. */
	concurrency?: number
	/** Questions that may wait for one of those places. */
	waiting?: number
	/** Bound on one request, in milliseconds. */
	timeoutMs?: number
}

export interface Message {
	role: 'system' | 'user'
	content: string
}

/** Alternatives of the first token, with natural logarithms of their probabilities. */
export type Alternatives = { token: string; logprob: number }[]
export type Ask = (messages: readonly Message[], signal: AbortSignal) => Promise<Alternatives>

const CONCURRENCY = 8
const WAITING = 1_024
const TIMEOUT_MS = 30_000
const ATTEMPTS = 2
const LONGEST_PAUSE_MS = 2_000
/** The most that OpenAI and a vLLM with default settings give. */
const ALTERNATIVES = 20
const LONGEST_ERROR_UNITS = 300

interface Completion {
	choices?: {
		logprobs?: { content?: { token: string; logprob: number; top_logprobs?: Alternatives }[] | null } | null
	}[]
}

interface Server {
	settings: OpenAiSettings
	address: string
	/** Newer OpenAI models refuse the older name; other servers know only that. Learned from the first refusal. */
	limit: 'max_tokens' | 'max_completion_tokens'
}

export function openAiClient(settings: OpenAiSettings): Ask {
	const address = `${settings.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/chat/completions`
	const server: Server = { settings, address, limit: 'max_tokens' }
	const enter = gate(settings.concurrency ?? CONCURRENCY, settings.waiting ?? WAITING)
	return async (messages, signal) => {
		const leave = await enter(signal)
		try {
			let why = ''
			for (let turn = 0; turn < ATTEMPTS; turn++) {
				const got = await attempt(server, messages, signal).catch((error: unknown) => {
					if (error instanceof JudgeError) throw error
					signal.throwIfAborted()
					return { pause: 0, why: error instanceof Error ? error.message : String(error) }
				})
				if (Array.isArray(got)) return got
				why = got.why
				if (got.pause && turn + 1 < ATTEMPTS) await pause(got.pause, signal)
			}
			throw new JudgeError('unavailable', `The judge’s server does not answer: ${why}`)
		} finally {
			leave()
		}
	}
}

/** The alternatives; or, where asking again may help, how long to wait before. */
async function attempt(
	server: Server,
	messages: readonly Message[],
	signal: AbortSignal,
): Promise<Alternatives | { pause: number; why: string }> {
	const { settings, address, limit } = server
	const response = await fetch(address, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			...(settings.key ? { authorization: `Bearer ${settings.key}` } : {}),
		},
		body: JSON.stringify({
			model: settings.model,
			messages,
			[limit]: 1,
			temperature: 0,
			logprobs: true,
			top_logprobs: ALTERNATIVES,
		}),
		signal: AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs ?? TIMEOUT_MS)]),
	})
	if (response.ok) return alternativesOf((await response.json()) as Completion)
	const why = `${response.status} ${(await response.text()).slice(0, LONGEST_ERROR_UNITS)}`
	if (response.status === 400 && limit === 'max_tokens' && why.includes('max_completion_tokens')) {
		server.limit = 'max_completion_tokens'
		return { pause: 0, why }
	}
	if (response.status !== 429 && response.status < 500) {
		throw new JudgeError('unavailable', `The judge’s server refused the question: ${why}`)
	}
	const wait = Number(response.headers.get('retry-after')) || 0.25
	return { pause: Math.min(LONGEST_PAUSE_MS, 1_000 * wait), why }
}

function alternativesOf(completion: Completion): Alternatives {
	const first = completion.choices?.[0]?.logprobs?.content?.[0]
	if (!first) throw new JudgeError('unavailable', NO_LOGPROBS)
	const list = first.top_logprobs?.length
		? first.top_logprobs
		: [{ token: first.token, logprob: first.logprob }]
	return list.filter(({ token, logprob }) => typeof token === 'string' && Number.isFinite(logprob))
}

export const NO_LOGPROBS =
	'The judge’s server gives no log-probabilities (`logprobs` with `top_logprobs` in chat completions).'

function pause(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const done = () => {
			signal.removeEventListener('abort', stop)
			resolve()
		}
		const timer = setTimeout(done, ms)
		const stop = () => {
			clearTimeout(timer)
			reject(signal.reason)
		}
		signal.addEventListener('abort', stop, { once: true })
	})
}

/** At most `places` inside, at most `waiting` before the door; who comes later is turned away. */
function gate(places: number, waiting: number): (signal: AbortSignal) => Promise<() => void> {
	let inside = 0
	const line: (() => void)[] = []
	const leave = () => {
		inside--
		line.shift()?.()
	}
	return (signal) => {
		signal.throwIfAborted()
		if (inside < places) {
			inside++
			return Promise.resolve(leave)
		}
		if (line.length >= waiting)
			return Promise.reject(new JudgeError('capacity', 'The judge has as many questions waiting as it may.'))
		return new Promise((resolve, reject) => {
			const stop = () => {
				line.splice(line.indexOf(enter), 1)
				reject(signal.reason)
			}
			const enter = () => {
				signal.removeEventListener('abort', stop)
				inside++
				resolve(leave)
			}
			line.push(enter)
			signal.addEventListener('abort', stop, { once: true })
		})
	}
}
