/**
 * Requests to an OpenAI-compatible server. A request ends in a reply, or in a JudgeError within its bounds: nothing
 * waits for ever and nothing is guessed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenAI } from 'openai'
import pLimit from 'p-limit'
import { JudgeError } from '../types.ts'
import { bodyOf, type Dialect, learn, learnThinking, newDialect, type Wanted } from './dialect.ts'
import type { Reply } from './reply.ts'

export interface Used {
	requests: number
	input_tokens: number
	cached_input_tokens: number
	output_tokens: number
}

export interface ServerSettings {
	/** Base address, with or without `/v1`. */
	url: string
	model: string
	key?: string
	/** Requests in flight at most; the server batches them. */
	concurrency?: number
	/** Requests that may wait for one of those places. */
	waiting?: number
	/** Bound on one request, in milliseconds. */
	timeoutMs?: number
	/** Told what each request took. */
	used?(used: Used): void
}

export interface Server {
	/** As learned so far. */
	dialect: Readonly<Dialect>
	complete(wanted: (dialect: Readonly<Dialect>) => Wanted, signal: AbortSignal): Promise<Reply>
}

const CONCURRENCY = 8
const WAITING = 1_024
const TIMEOUT_MS = 30_000
/** After 429, 5xx or no answer at all. */
const ATTEMPTS = 2
/** Each refusal that teaches a difference of the server; there are eight to learn. */
const LESSONS = 8
const LONGEST_PAUSE_MS = 2_000
const LONGEST_ERROR_UNITS = 300

type Completion = OpenAI.Chat.ChatCompletion

/** The library is loaded here, and so only on hosts that have this judge: it takes 24 MB and 80 ms. */
export async function openServer(settings: ServerSettings): Promise<Server> {
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
	const dialect = newDialect()
	const limit = pLimit(settings.concurrency ?? CONCURRENCY)
	const waiting = settings.waiting ?? WAITING
	const answered = async (wanted: Parameters<Server['complete']>[0], signal: AbortSignal): Promise<Reply> => {
		let lessons = 0
		for (let turn = 1; ; ) {
			signal.throwIfAborted()
			const sent = { ...dialect }
			try {
				const body = bodyOf(sent, settings.model, wanted(sent))
				const completion = await client.chat.completions.create(body, { signal })
				settings.used?.(usedBy(completion))
				const reply = replyOf(completion)
				if (sent.logprobs && !reply.tokens) dialect.logprobs = false
				if (reply.text || !cut(completion) || !learnThinking(dialect, sent)) return reply
			} catch (error) {
				signal.throwIfAborted()
				if (error instanceof JudgeError) throw error
				const { status, headers } = error instanceof APIError ? error : {}
				const why = (error as Error).message.slice(0, LONGEST_ERROR_UNITS)
				if (status && lessons++ < LESSONS && learn(dialect, sent, status, (error as Error).message)) continue
				if (status && status !== 429 && status < 500)
					throw new JudgeError('unavailable', `The judge’s server refused the question: ${why}`)
				if (turn++ === ATTEMPTS)
					throw new JudgeError('unavailable', `The judge’s server does not answer: ${why}`)
				const asked = status ? Number(headers?.get('retry-after')) || 0.25 : 0
				await sleep(Math.min(LONGEST_PAUSE_MS, 1_000 * asked), undefined, { signal }).catch(() =>
					signal.throwIfAborted(),
				)
			}
		}
	}
	return {
		dialect,
		complete: async (wanted, signal) => {
			signal.throwIfAborted()
			if (limit.pendingCount >= waiting)
				throw new JudgeError('capacity', 'The judge has as many questions waiting as it may.')
			return orAborted(
				limit(() => answered(wanted, signal)),
				signal,
			)
		},
	}
}

function replyOf(completion: Completion): Reply {
	const choice = completion.choices?.[0]
	const content = choice?.logprobs?.content
	const tokens = Array.isArray(content)
		? content.filter(({ token, logprob }) => typeof token === 'string' && Number.isFinite(logprob))
		: []
	const text = choice?.message?.content
	return { text: typeof text === 'string' ? text : '', tokens: tokens.length ? tokens : null }
}

const cut = (completion: Completion): boolean => completion.choices?.[0]?.finish_reason === 'length'

function usedBy({ usage }: Completion): Used {
	return {
		requests: 1,
		input_tokens: usage?.prompt_tokens ?? 0,
		cached_input_tokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
		output_tokens: usage?.completion_tokens ?? 0,
	}
}

/** Rejects with the signal's reason at once, also while the question still waits for its turn. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = () => reject(signal.reason)
		signal.addEventListener('abort', stop, { once: true })
		work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
	})
}
