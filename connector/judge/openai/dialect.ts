/**
 * What servers that speak chat completions do differently. Nothing is configured: a request begins with the form that
 * OpenAI, vLLM, llama.cpp and Ollama share, and each refusal (400 or 422) teaches one difference, kept for later requests.
 */
import type { OpenAI } from 'openai'
import type { ChatMessage } from './prompt.ts'

export interface Dialect {
	/** Newer OpenAI models refuse the older name; other servers know only that. */
	limit: 'max_tokens' | 'max_completion_tokens'
	/** `response_format` with a schema; vLLM’s older `guided_json`; `response_format` without schema; nothing. */
	format: (typeof FORMATS)[number]
	/** False: reasoning models refuse it, and some servers leave it out. Answers state their probability then. */
	logprobs: boolean
	/** Reasoning models take none. */
	temperature: boolean
	/** Tokens for thinking that comes before the answer. */
	thinking: number
}

const FORMATS = ['json_schema', 'guided_json', 'json_object', 'none'] as const
/** The most that OpenAI and a vLLM with default settings give. */
const ALTERNATIVES = 20
const THINKING_TOKENS = 4_096

export const newDialect = (): Dialect => ({
	limit: 'max_tokens',
	format: 'json_schema',
	logprobs: true,
	temperature: true,
	thinking: 0,
})

export interface Wanted {
	messages: readonly ChatMessage[]
	schema: Record<string, unknown>
	/** Tokens that the answer takes at most. */
	tokens: number
}

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming

export function bodyOf(dialect: Dialect, model: string, { messages, schema, tokens }: Wanted): Body {
	const body: Body = { model, messages: [...messages], [dialect.limit]: tokens + dialect.thinking }
	if (dialect.temperature) body.temperature = 0
	if (dialect.logprobs) Object.assign(body, { logprobs: true, top_logprobs: ALTERNATIVES })
	if (dialect.format === 'json_schema')
		body.response_format = { type: 'json_schema', json_schema: { name: 'answers', strict: true, schema } }
	if (dialect.format === 'guided_json') Object.assign(body, { guided_json: schema })
	if (dialect.format === 'json_object') body.response_format = { type: 'json_object' }
	return body
}

/** True: the refusal taught something about `sent`, and the same question is worth another request. */
export function learn(dialect: Dialect, sent: Dialect, status: number, message: string): boolean {
	if (status !== 400 && status !== 422) return false
	if (sent.limit === 'max_tokens' && message.includes('max_completion_tokens')) {
		dialect.limit = 'max_completion_tokens'
		// Models that refuse the older name think before they answer.
		dialect.thinking = THINKING_TOKENS
	} else if (sent.logprobs && /logprobs/i.test(message)) dialect.logprobs = false
	else if (sent.temperature && /temperature/i.test(message)) dialect.temperature = false
	else if (
		sent.format !== 'none' &&
		/response_format|json_schema|json_object|guided_json|schema|grammar|structured|extra (inputs|fields)|unrecognized|unknown/i.test(
			message,
		)
	)
		dialect.format = FORMATS[Math.max(FORMATS.indexOf(dialect.format), FORMATS.indexOf(sent.format) + 1)]!
	else return false
	return true
}

/** The answer was cut before it began: the model thinks first. True: another request has room for that. */
export function learnThinking(dialect: Dialect, sent: Dialect): boolean {
	if (sent.thinking) return false
	dialect.thinking = THINKING_TOKENS
	return true
}
