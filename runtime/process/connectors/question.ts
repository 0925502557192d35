/** Elicitation of MCP: what a server asks a person in the middle of a call, read from what it sent. */
import { type InputRequiredResult, isSpecType } from '@modelcontextprotocol/client'
import { checkSchema } from '../../../bundles/index.ts'
import { SCHEMA_MAX_BYTES } from './remote-tool.ts'
import type { Question, ToolAsks } from './types.ts'
import { boundedWords } from './words.ts'

const MESSAGE_MAX_CHARS = 4_000
/** In one answer of a server. */
const QUESTIONS_MAX = 16
const KEY_MAX_CHARS = 200
const STATE_MAX_CHARS = 64 * 1024
const URL_MAX_CHARS = 2_000

/** What a server may ask for, in the words that a model and an owner read. */
const kinds: Record<string, string> = {
	'elicitation/create': 'an answer of a person in a form that Berth cannot show (elicitation)',
	'sampling/createMessage': 'an answer of a model (sampling)',
	'roots/list': 'folders to work in (roots)',
}

/** The questions of a 2026-07-28 server; or, in words, what it asks for that nobody here can give. */
export function asksOf({ inputRequests = {}, requestState: state }: InputRequiredResult): ToolAsks | string {
	const requests = Object.entries(inputRequests as Record<string, unknown>)
	if (requests.length > QUESTIONS_MAX || requests.some(([key]) => key.length > KEY_MAX_CHARS))
		return `more than ${QUESTIONS_MAX} answers at once`
	if (state !== undefined && state.length > STATE_MAX_CHARS)
		return `${STATE_MAX_CHARS} characters and more to be kept for it`
	const questions: ToolAsks['questions'] = []
	for (const [key, request] of requests) {
		const { method, params } = (request ?? {}) as { method?: unknown; params?: unknown }
		const question = method === 'elicitation/create' ? questionOf(params) : undefined
		if (!question) return kinds[String(method)] ?? 'something that MCP does not know'
		questions.push({ key, ...question })
	}
	return { questions, ...(state !== undefined && { state }) }
}

/** Undefined: it cannot be put before a person. */
export function questionOf(params: unknown): Question | undefined {
	const { mode, message, url } = (params ?? {}) as Record<string, unknown>
	if (mode === 'url') {
		if (typeof message !== 'string' || typeof url !== 'string' || url.length > URL_MAX_CHARS) return undefined
		const { protocol = '', href = '' } = URL.parse(url) ?? {}
		if (protocol !== 'https:' && protocol !== 'http:') return undefined
		return { message: boundedWords(message, MESSAGE_MAX_CHARS), url: href }
	}
	if (!isSpecType.ElicitRequestFormParams(params)) return undefined
	const { properties, required } = params.requestedSchema
	const schema = { type: 'object', properties, ...(required && { required }) }
	if (JSON.stringify(schema).length > SCHEMA_MAX_BYTES || checkSchema(schema).length > 0) return undefined
	return { message: boundedWords(params.message, MESSAGE_MAX_CHARS), schema }
}
