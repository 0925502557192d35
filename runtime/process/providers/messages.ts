/**
 * Anthropic `POST /v1/messages`. Requests and answers are compiled against the types of the `@anthropic-ai/sdk`
 * package, of which nothing is loaded.
 */
import type {
	ContentBlock,
	DocumentBlockParam,
	ImageBlockParam,
	MessageCreateParamsStreaming,
	RawContentBlockDelta,
	RawMessageStreamEvent,
	RedactedThinkingBlock,
	RedactedThinkingBlockParam,
	Usage as SdkUsage,
	TextBlock,
	TextBlockParam,
	ThinkingBlock,
	ThinkingBlockParam,
	Tool,
	ToolResultBlockParam,
	ToolUseBlock,
	ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages'
import { anthropicFormat, isOfficial } from '../../../bundles/index.ts'
import type { ModelUsage } from '../../prices/index.ts'
import type { AssistantMessage, Message, ModelStop, ToolCall } from '../../wire/model.ts'
import { streamFailure } from './failure.ts'
import { type FilePart, partsOf } from './file-parts.ts'
import { messagesOptions } from './options.ts'
import { toolCall } from './tool-input.ts'
import type { ModelRequest } from './types.ts'
import { usageOf } from './usage.ts'
import type { Loose, Wire, WireReader } from './wire.ts'

/** `max_tokens` has no default there; every model in use allows this many. */
const MAX_TOKENS = 32_000
const VERSION = '2026-10-21'
/** The version before it, which alone takes these. */
const SAMPLING_VERSION = '2023-06-01'
const sampling = ['temperature', 'top_k', 'top_p']

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
	reserved: new Set(['cache_control', 'user_profile_id', 'workspace_id']),
	body,
	reader,
}

const cached = { cache_control: { type: 'ephemeral' } } as const

/** The prompt's stable beginning (tools, then system) and its end are marked for the cache. */
function body(request: ModelRequest): Record<string, unknown> {
	const { output_config: given, max_tokens = MAX_TOKENS, ...parameters } = request.parameters
	const format =
		request.output && request.options?.strict !== false ? anthropicFormat(request.output) : undefined
	const { output_config = given as object, ...options } = messagesOptions(request, Number(max_tokens))
	const system = [request.system, request.output && !format ? inWords(request.output) : '']
		.filter(Boolean)
		.join('\n\n')
	const tools = request.tools.map(
		({ name, description, input }): Tool => ({
			name,
			description,
			input_schema: input as Tool.InputSchema,
		}),
	)
	const conversation = turns(request)
	markLast(conversation.at(-1)?.content)
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

/** For a schema that structured output cannot carry. */
function inWords(schema: object): string {
	return `Your final answer must be nothing but a JSON value that fits this JSON Schema:\n${JSON.stringify(schema)}`
}

type KeptBlock = TextBlockParam | ThinkingBlockParam | RedactedThinkingBlockParam | ToolUseBlockParam
type ShownBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam
type Block = KeptBlock | ToolResultBlockParam | ShownBlock

function markLast(blocks: object[] | undefined): void {
	const last = blocks?.at(-1)
	if (last) Object.assign(last, cached)
}

/** The results of one turn's calls belong into one message; an empty text is refused there. */
function turns(request: ModelRequest): { role: 'user' | 'assistant'; content: Block[] }[] {
	const result: { role: 'user' | 'assistant'; content: Block[] }[] = []
	for (const message of request.messages) {
		const role = message.role === 'assistant' ? 'assistant' : 'user'
		const blocks = blocksOf(message, request)
		const before = result.at(-1)
		if (before?.role === role) before.content.push(...blocks)
		else if (blocks.length > 0) result.push({ role, content: blocks })
	}
	return result
}

function blocksOf(message: Message, request: ModelRequest): Block[] {
	if (message.role === 'user') return [...textBlock(message.content), ...shownBlocks(message, request)]
	if (message.role === 'tool') {
		const { tool_call_id: tool_use_id, is_error } = message
		const shown = shownBlocks(message, request)
		const content = shown.length === 0 ? message.content : [...textBlock(message.content), ...shown]
		return [{ type: 'tool_result', tool_use_id, content, ...(is_error && { is_error }) }]
	}
	const kept = (message.provider as Kept | undefined)?.blocks
	if (Array.isArray(kept)) return kept.flatMap(keptBlock)
	const said: Block[] = message.content ? [{ type: 'text', text: message.content }] : []
	return [...said, ...(message.tool_calls ?? []).map(toolUse)]
}

const textBlock = (text: string): TextBlockParam[] => (text ? [{ type: 'text', text }] : [])

const shownBlocks = (message: Exclude<Message, { role: 'assistant' }>, request: ModelRequest): ShownBlock[] =>
	partsOf(message, request).flatMap(shownBlock)

function shownBlock(part: FilePart): ShownBlock[] {
	if (part.kind === 'text') return textBlock(part.text)
	const { base64: data } = part
	if (part.kind === 'image')
		return [{ type: 'image', source: { type: 'base64', media_type: part.type, data } }]
	return [
		{ type: 'document', title: part.name, source: { type: 'base64', media_type: 'application/pdf', data } },
	]
}

function toolUse({ id, name, input, input_error }: ToolCall): ToolUseBlockParam {
	return { type: 'tool_use', id, name, input: input_error === undefined ? input : {} }
}

/** An answer with thinking in it, block by block: it is accepted only as it was. */
interface Kept {
	blocks?: KeptBlock[]
}

/** What comes back has been in the guest's hands: only what is known is taken from it, member by member. */
function keptBlock(block: Loose<ReadBlock>): KeptBlock[] {
	const { type } = block
	if (type === 'text') return block.text ? [{ type, text: String(block.text) }] : []
	if (type === 'thinking') {
		return [{ type, thinking: String(block.thinking), signature: String(block.signature) }]
	}
	if (type === 'redacted_thinking') return [{ type, data: String(block.data) }]
	if (type !== 'tool_use') return []
	const input = typeof block.input === 'object' && block.input !== null ? block.input : {}
	return [{ type, id: String(block.id), name: String(block.name), input }]
}

type Usage = Loose<
	Pick<SdkUsage, 'input_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens' | 'output_tokens'>
>

/** A content block as it is put together from its deltas. */
type ReadBlock = Partial<
	Pick<TextBlock, 'text'> &
		Pick<ToolUseBlock, 'id' | 'name' | 'input'> &
		Pick<ThinkingBlock, 'thinking' | 'signature'> &
		Pick<RedactedThinkingBlock, 'data'>
> & {
	type: ContentBlock['type']
	/** Text of the input so far. */
	json?: string
}

type StreamEvent =
	| Loose<RawMessageStreamEvent>
	| { type: 'error'; error?: { type?: string; message?: string } }

function reader(onDelta: ((text: string) => void) | undefined): WireReader {
	const blocks: ReadBlock[] = []
	const usage: Usage = {}
	let model = ''
	let stopReason: string | undefined
	let stopped = false
	return {
		event(data, name) {
			if (name === 'ping') return
			const event = JSON.parse(data) as StreamEvent
			if (event.type === 'content_block_delta' && event.delta) {
				appendDelta(blocks[event.index ?? 0], event.delta)
				if (event.delta.type === 'text_delta' && event.delta.text) onDelta?.(event.delta.text)
			} else if (event.type === 'content_block_start' && event.content_block) {
				if ((event.index ?? 0) !== blocks.length) throw new RangeError('a block out of place')
				blocks.push(event.content_block as ReadBlock)
			} else if (event.type === 'message_start') {
				model = event.message?.model ?? ''
				Object.assign(usage, event.message?.usage)
			} else if (event.type === 'message_delta') {
				stopReason = event.delta?.stop_reason ?? stopReason
				for (const [member, value] of Object.entries(event.usage ?? {})) {
					if (typeof value === 'number') usage[member as keyof Usage] = value
				}
			} else if (event.type === 'message_stop') {
				stopped = true
			} else if (event.type === 'error') {
				throw streamFailure(event.error?.type, event.error?.message)
			}
		},
		soFar: () => readUsage(usage),
		result() {
			if (!stopped || stopReason === undefined) return undefined
			const message = readBlocks(blocks, lengths.has(stopReason))
			const total = readUsage(usage)
			return { message, stop: stopOf(stopReason, message), model, ...(total && { usage: total }) }
		},
	}
}

function readBlocks(blocks: ReadBlock[], cut: boolean): AssistantMessage {
	const message: AssistantMessage = { role: 'assistant', content: '' }
	const kept: KeptBlock[] = []
	for (const block of blocks) {
		if (block.type === 'text') message.content += block.text ?? ''
		if (block.type === 'tool_use') {
			const call = toolCall(String(block.id), String(block.name), block.json || givenWhole(block.input), cut)
			message.tool_calls = [...(message.tool_calls ?? []), call]
			kept.push(toolUse(call))
		} else kept.push(...keptBlock({ ...block }))
	}
	if (kept.some(({ type }) => type !== 'text' && type !== 'tool_use')) {
		message.provider = { blocks: kept } satisfies Kept
	}
	return message
}

/** Some servers send the input with the block's beginning, where it otherwise stands empty. */
function givenWhole(input: unknown): string {
	const text = JSON.stringify(input ?? {})
	return text === '{}' ? '' : text
}

function appendDelta(block: ReadBlock | undefined, delta: Loose<RawContentBlockDelta>): void {
	if (!block) return
	if (delta.type === 'text_delta') block.text = (block.text ?? '') + delta.text
	else if (delta.type === 'input_json_delta') block.json = (block.json ?? '') + delta.partial_json
	else if (delta.type === 'thinking_delta') block.thinking = (block.thinking ?? '') + delta.thinking
	else if (delta.type === 'signature_delta') block.signature = String(delta.signature)
}

const lengths = new Set(['max_tokens', 'model_context_window_exceeded'])

function stopOf(reason: string, { tool_calls }: AssistantMessage): ModelStop {
	if (lengths.has(reason)) return 'length'
	if (reason === 'refusal') return 'refusal'
	return tool_calls ? 'tool_calls' : 'end'
}

function readUsage(usage: Usage): ModelUsage | undefined {
	const read = usage.cache_read_input_tokens ?? 0
	const written = usage.cache_creation_input_tokens ?? 0
	return usageOf((usage.input_tokens ?? Number.NaN) + read + written, read, written, usage.output_tokens)
}
