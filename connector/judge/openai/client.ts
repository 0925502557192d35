/**
 * One question to an OpenAI-compatible server: one token of answer, with the log-probabilities of its alternatives.
 * A call ends in an answer, or in a JudgeError within its bounds: nothing waits for ever and nothing is guessed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenAI } from 'openai'
import pLimit from 'p-limit'
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

export interface ChatMessage {
	role: 'system' | 'user'
	content: string
}

/** Alternatives of the first token, with natural logarithms of their probabilities. */
export type Alternatives = { token: string; logprob: number }[]
export type Ask = (messages: readonly ChatMessage[], signal: AbortSignal) => Promise<Alternatives>

const CONCURRENCY = 8
const WAITING = 1_024
const TIMEOUT_MS = 30_000
const ATTEMPTS = 2
const LONGEST_PAUSE_MS = 2_000
/** The most that OpenAI and a vLLM with default settings give. */
const ALTERNATIVES = 20
const LONGEST_ERROR_UNITS = 300

type Completion = OpenAI.Chat.ChatCompletion

interface Server {
	client: OpenAI
	model: string
	/** Newer OpenAI models refuse the older name; other servers know only that. Learned from the first refusal. */
	limit: 'max_tokens' | 'max_completion_tokens'
}

/** The library is loaded here, and so only on hosts that have this judge: it takes 24 MB and 80 ms. */
export async function openAiClient(settings: OpenAiSettings): Promise<Ask> {
	const { OpenAI, APIError } = await import('openai')
	const client = new OpenAI({
		baseURL: `${settings.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`,
		// It refuses to start without a key. A server that needs none gets no header.
		apiKey: settings.key || 'none',
		defaultHeaders: settings.key ? {} : { authorization: null },
		// Null: the settings say what is sent, not the environment.
		organization: null,
		project: null,
		timeout: settings.timeoutMs ?? TIMEOUT_MS,
		// Its own retries wait up to a minute when the server asks for that. A guard call is over by then.
		maxRetries: 0,
		logLevel: 'off',
	})
	const server: Server = { client, model: settings.model, limit: 'max_tokens' }
	const limit = pLimit(settings.concurrency ?? CONCURRENCY)
	const waiting = settings.waiting ?? WAITING
	const answered = async (messages: readonly ChatMessage[], signal: AbortSignal) => {
		for (let turn = 1; ; turn++) {
			signal.throwIfAborted()
			const { limit: name } = server
			try {
				return alternativesOf(await ask(server, messages, signal))
			} catch (error) {
				signal.throwIfAborted()
				if (error instanceof JudgeError) throw error
				const { status, headers } = error instanceof APIError ? error : {}
				const { wait, why } = retryOf(server, name, status, headers, (error as Error).message)
				if (turn === ATTEMPTS)
					throw new JudgeError('unavailable', `The judge’s server does not answer: ${why}`)
				if (wait) await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted())
			}
		}
	}
	return async (messages, signal) => {
		signal.throwIfAborted()
		if (limit.pendingCount >= waiting)
			throw new JudgeError('capacity', 'The judge has as many questions waiting as it may.')
		return orAborted(
			limit(() => answered(messages, signal)),
			signal,
		)
	}
}

function ask({ client, model, limit }: Server, messages: readonly ChatMessage[], signal: AbortSignal) {
	return client.chat.completions.create(
		{
			model,
			messages: [...messages],
			...(limit === 'max_tokens' ? { max_tokens: 1 } : { max_completion_tokens: 1 }),
			temperature: 0,
			logprobs: true,
			top_logprobs: ALTERNATIVES,
		},
		{ signal },
	)
}

/** How long to wait before asking again, in milliseconds. Throws when the answer would be the same. */
function retryOf(
	server: Server,
	limit: Server['limit'],
	status: number | undefined,
	headers: Headers | undefined,
	message: string,
): { wait: number; why: string } {
	const why = message.slice(0, LONGEST_ERROR_UNITS)
	if (status === undefined) return { wait: 0, why }
	if (status === 400 && limit === 'max_tokens' && why.includes('max_completion_tokens')) {
		server.limit = 'max_completion_tokens'
		return { wait: 0, why }
	}
	if (status !== 429 && status < 500)
		throw new JudgeError('unavailable', `The judge’s server refused the question: ${why}`)
	const asked = Number(headers?.get('retry-after')) || 0.25
	return { wait: Math.min(LONGEST_PAUSE_MS, 1_000 * asked), why }
}

function alternativesOf(completion: Completion): Alternatives {
	const first = completion.choices?.[0]?.logprobs?.content?.[0]
	if (!first) throw new JudgeError('unavailable', NO_LOGPROBS)
	const list = first.top_logprobs?.length ? first.top_logprobs : [first]
	return list.filter(({ token, logprob }) => typeof token === 'string' && Number.isFinite(logprob))
}

export const NO_LOGPROBS =
	'The judge’s server gives no log-probabilities (`logprobs` with `top_logprobs` in chat completions).'

/** Rejects with the signal's reason at once, also while the question still waits for its turn. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = () => reject(signal.reason)
		signal.addEventListener('abort', stop, { once: true })
		work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
	})
}
