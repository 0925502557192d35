/**
 * Anthropic `POST /v1/messages`. Requests and answers are compiled against the types of the `@anthropic-ai/sdk`
 * package, of which nothing is loaded.
 */
import type {
	DocumentBlockParam,
	ImageBlockParam,
	MessageCreateParamsStreaming,
	TextBlockParam,
	Tool,
	ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages'
import { anthropicFormat, isOfficial, searchOf } from '../../../bundles/index.ts'
import type { Message } from '../../wire/model.ts'
import { type FilePart, partsOf } from './file-parts.ts'
import {
	type Kept,
	type KeptBlock,
	keptBlock,
	type ReadBlock,
	sentBlocks,
	toolUse,
} from './messages-blocks.ts'
import { reader } from './messages-read.ts'
import { searchTool } from './messages-search.ts'
import { messagesOptions } from './options.ts'
import { type CallRules, type SentCalls, sentCalls } from './sent-calls.ts'
import type { ModelRequest } from './types.ts'
import type { Wire } from './wire.ts'

/** `max_tokens` has no default there; every model in use allows this many. */
const MAX_TOKENS = 32_000
const VERSION = '2026-10-21'
/** The version before it, which alone takes these. */
const SAMPLING_VERSION = '2023-06-01'
const sampling = ['temperature', 'top_k', 'top_p']
const callRules: CallRules = { nameMax: 128, plainIds: true }

export const messages: Wire = {
	path: '/v1/messages',
	headers: (request, apiKey) => ({
		'x-api-key': apiKey,
		// Compatible servers read one or the other.
		...(!isOfficial(request) && { authorization: `Bearer ${apiKey}` }),
		'anthropic-version': sampling.some((name) => name in { ...request.parameters, ...request.options })
			? SAMPLING_VERSION
			: VERSION,
	}),
	api: 'messages',
	body,
	reader,
}

const cached = { cache_control: { type: 'ephemeral' } } as const

/** The prompt's stable beginning (tools, then system) and its end are marked for the cache. */
function body(request: ModelRequest): Record<string, unknown> {
	const { output_config: given, max_tokens = MAX_TOKENS, ...parameters } = request.parameters
	const format = formatOf(request)
	const { output_config = given as object, ...options } = messagesOptions(request, Number(max_tokens))
	const system = [request.system, request.output && !format ? inWords(request.output) : '']
		.filter(Boolean)
		.join('\n\n')
	const functions = request.tools.map(
		({ name, description, input }): Tool => ({
			name,
			description,
			input_schema: input as Tool.InputSchema,
		}),
	)
	const tools = [...functions, ...searchTool(request)]
	const conversation = turns(request)
	// An answer goes back as it came, without a mark.
	markLast(conversation.findLast(({ role }) => role === 'user')?.content)
	if (!system) markLast(tools)
	const own: Omit<MessageCreateParamsStreaming, 'max_tokens'> = {
		model: request.model,
		system: system ? [{ type: 'text', text: system, ...cached }] : undefined,
		tools: tools.length > 0 ? tools : undefined,
		output_config: output_config || format ? { ...output_config, ...(format && { format }) } : undefined,
		...options,
		messages: conversation,
		stream: true,
	}
	return { ...parameters, max_tokens, ...own }
}

/**
 * Undefined: there is none, or it is asked for in words. Anthropic refuses to guarantee a schema beside citations, which
 * answers of its web search always have: only a `strict` of the owner's own asks for both.
 */
function formatOf({ output, options = {} }: ModelRequest) {
	const { strict, citations } = options
	if (!output || strict === false || citations || (searchOf(options) && !strict)) return undefined
	return anthropicFormat(output)
}

/** For a schema that structured output cannot carry. */
function inWords(schema: object): string {
	return `Your final answer must be nothing but a JSON value that fits this JSON Schema:\n${JSON.stringify(schema)}`
}

type ShownBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam
type Block = KeptBlock | ToolResultBlockParam | ShownBlock

function markLast(blocks: object[] | undefined): void {
	const last = blocks?.at(-1)
	if (last) Object.assign(last, cached)
}

/** The results of one turn's calls belong into one message; an empty text is refused there. */
function turns(request: ModelRequest): { role: 'user' | 'assistant'; content: Block[] }[] {
	const result: { role: 'user' | 'assistant'; content: Block[] }[] = []
	const calls = sentCalls(callRules, request)
	const add = (role: 'user' | 'assistant', blocks: Block[]) => {
		const before = result.at(-1)
		if (before?.role === role) before.content.push(...blocks)
		else if (blocks.length > 0) result.push({ role, content: blocks })
	}
	for (const message of request.messages)
		add(message.role === 'assistant' ? 'assistant' : 'user', blocksOf(message, request, calls))
	add('assistant', sentBlocks(((request.paused ?? []) as ReadBlock[]).flatMap(keptBlock), calls))
	return result
}

function blocksOf(message: Message, request: ModelRequest, calls: SentCalls): Block[] {
	if (message.role === 'user') return [...textBlock(message.content), ...shownBlocks(message, request)]
	if (message.role === 'tool') {
		const { tool_call_id, is_error } = message
		const tool_use_id = calls.answered(tool_call_id)
		const shown = shownBlocks(message, request)
		const content = shown.length === 0 ? message.content : [...textBlock(message.content), ...shown]
		return [{ type: 'tool_result', tool_use_id, content, ...(is_error && { is_error }) }]
	}
	const kept = (message.provider as Kept | undefined)?.blocks
	if (Array.isArray(kept)) return sentBlocks(kept.flatMap(keptBlock), calls)
	const said: Block[] = message.content ? [{ type: 'text', text: message.content }] : []
	return [...said, ...sentBlocks((message.tool_calls ?? []).map(toolUse), calls)]
}

const textBlock = (text: string): TextBlockParam[] => (text ? [{ type: 'text', text }] : [])

const shownBlocks = (message: Exclude<Message, { role: 'assistant' }>, request: ModelRequest): ShownBlock[] =>
	partsOf(message, request).flatMap((part) => shownBlock(part, request.options?.citations === true))

function shownBlock(part: FilePart, cited: boolean): ShownBlock[] {
	if (part.kind === 'image')
		return [{ type: 'image', source: { type: 'base64', media_type: part.type, data: part.base64 } }]
	const citations = cited && { citations: { enabled: true } }
	if (part.kind === 'pdf') {
		const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: part.base64 }
		return [{ type: 'document', title: part.name, source, ...citations }]
	}
	if (!cited || part.name === undefined || part.text === '') return textBlock(part.text)
	const source = { type: 'text' as const, media_type: 'text/plain' as const, data: part.text }
	return [{ type: 'document', title: part.name, source, ...citations }]
}
