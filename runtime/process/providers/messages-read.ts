/** An Anthropic answer, read from its events. */
import type {
	RawContentBlockDelta,
	RawMessageStreamEvent,
	Usage as SdkUsage,
	TextCitation,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { ModelUsage } from '../../prices/index.ts'
import type { AssistantMessage, Citation, ModelStop, Search, ToolCall } from '../../wire/model.ts'
import { streamFailure } from './failure.ts'
import { documentsOf } from './file-parts.ts'
import { type Kept, type KeptBlock, keptBlock, type ReadBlock, toolUse } from './messages-blocks.ts'
import { citationOf, searchesIn } from './messages-search.ts'
import { toolCall } from './tool-input.ts'
import type { ModelRequest } from './types.ts'
import { usageOf } from './usage.ts'
import { type Loose, objectsIn, type WireReader } from './wire.ts'

type Usage = Loose<
	Pick<
		SdkUsage,
		| 'input_tokens'
		| 'cache_read_input_tokens'
		| 'cache_creation_input_tokens'
		| 'output_tokens'
		| 'server_tool_use'
	>
>

type StreamEvent = Loose<RawMessageStreamEvent> | { type: 'error'; error?: unknown }

/** Between what is said before a search and after it. */
const PARAGRAPH = '\n\n'

export function reader(onDelta: ((text: string) => void) | undefined, request: ModelRequest): WireReader {
	const before = (request.paused ?? []) as ReadBlock[]
	const blocks: ReadBlock[] = []
	/** By index: the newest, as some servers give one index to all. */
	const open = new Map<number, ReadBlock>()
	const usage: Usage = {}
	let model = ''
	let stopReason: string | undefined
	let stopped = false
	let speech = before.reduce<Speech>(after, 'none')
	return {
		event(data, name) {
			if (name === 'ping') return
			const event = JSON.parse(data) as StreamEvent
			if (event.type === 'content_block_delta' && event.delta) {
				appendDelta(open.get(event.index ?? 0), event.delta)
				if (event.delta.type === 'text_delta' && event.delta.text) {
					onDelta?.(speech === 'searched' ? PARAGRAPH + event.delta.text : event.delta.text)
					speech = 'said'
				}
			} else if (event.type === 'content_block_start' && event.content_block) {
				const block = event.content_block as ReadBlock
				blocks.push(block)
				open.set(event.index ?? 0, block)
				speech = after(speech, block)
			} else if (event.type === 'message_start') {
				model = event.message?.model ?? ''
				Object.assign(usage, event.message?.usage)
			} else if (event.type === 'message_delta') {
				stopReason = event.delta?.stop_reason ?? stopReason
				for (const [member, value] of Object.entries(event.usage ?? {})) {
					if (typeof value === 'number') usage[member as 'output_tokens'] = value
				}
				usage.server_tool_use = event.usage?.server_tool_use ?? usage.server_tool_use ?? null
			} else if (event.type === 'message_stop') {
				stopped = true
			} else if (event.type === 'error') {
				throw streamFailure(event.error)
			}
		},
		soFar: () => readUsage(usage, searchesIn(blocks)),
		result() {
			if (!stopped || stopReason === undefined) return undefined
			for (const block of blocks) if (block.type === 'server_tool_use') block.input = inputOf(block)
			const all = [...before, ...blocks]
			const { message, citations } = readBlocks(all, lengths.has(stopReason), request)
			// It announced calls and sent none: no answer of a model is empty so.
			if (stopReason === 'tool_use' && !message.tool_calls && !message.content) return undefined
			const told = readUsage(usage, searchesIn(blocks))
			const searches = searchesIn(all)
			return {
				message,
				stop: stopOf(stopReason, message),
				...(stopReason === CONTEXT_FULL && { why: 'context_window' as const }),
				model,
				...(told && { usage: told }),
				...(citations.length > 0 && { citations }),
				...(searches.length > 0 && { searches }),
				...(stopReason === 'pause_turn' && { paused: all }),
			}
		},
	}
}

/** What came last of an answer's text and the provider's searches. */
type Speech = 'none' | 'said' | 'searched'

function after(speech: Speech, block: ReadBlock): Speech {
	if (block.type === 'text') return block.text ? 'said' : speech
	return isSearch(block) && speech === 'said' ? 'searched' : speech
}

const isSearch = ({ type }: ReadBlock) => type === 'server_tool_use' || type === 'web_search_tool_result'

function readBlocks(
	blocks: ReadBlock[],
	cut: boolean,
	request: ModelRequest,
): { message: AssistantMessage; citations: Citation[] } {
	const message: AssistantMessage = { role: 'assistant', content: '' }
	const kept: KeptBlock[] = []
	const calls: ToolCall[] = []
	let citations: Citation[] = []
	let speech: Speech = 'none'
	let files: string[] | undefined
	for (const block of blocks) {
		if (block.type === 'text' && block.text) {
			if (speech === 'searched') message.content += PARAGRAPH
			const start_index = message.content.length
			message.content += block.text
			const at = { start_index, end_index: message.content.length }
			for (const cited of objectsIn(block.citations)) {
				files ??= documentsOf(request)
				citations.push(...citationOf(cited, at, files))
			}
		}
		speech = after(speech, block)
		// What is said before a search is no part of a value.
		if (request.output && isSearch(block)) {
			message.content = ''
			citations = []
			speech = 'none'
		}
		if (block.type === 'tool_use') {
			const id = String(block.id ?? '') || `call_${calls.length}`
			const written = block.json || givenWhole(block.input)
			const call = toolCall(id, String(block.name ?? ''), written, cut)
			calls.push(call)
			kept.push(toolUse(call))
		} else kept.push(...keptBlock({ ...block }))
	}
	if (calls.length > 0) message.tool_calls = calls
	// An answer may cite what one before it has found.
	if (kept.some((block) => (block.type === 'text' ? block.citations : block.type !== 'tool_use'))) {
		message.provider = { blocks: kept } satisfies Kept
	}
	return { message, citations }
}

/** Of the provider's own tools. */
function inputOf({ json, input }: ReadBlock): unknown {
	try {
		return json ? JSON.parse(json) : (input ?? {})
	} catch {
		// The answer was cut off there.
		return {}
	}
}

/** Some servers send the input with the block's beginning, where it otherwise stands empty. */
function givenWhole(input: unknown): string {
	const text = JSON.stringify(input ?? {})
	return text === '{}' ? '' : text
}

function appendDelta(block: ReadBlock | undefined, delta: Loose<RawContentBlockDelta>): void {
	// Without them a call would be made with no arguments.
	if (!block && delta.type === 'input_json_delta') throw new RangeError('arguments out of place')
	if (!block) return
	if (delta.type === 'text_delta') block.text = (block.text ?? '') + (delta.text ?? '')
	else if (delta.type === 'input_json_delta') block.json = (block.json ?? '') + (delta.partial_json ?? '')
	else if (delta.type === 'thinking_delta') block.thinking = (block.thinking ?? '') + (delta.thinking ?? '')
	else if (delta.type === 'signature_delta') block.signature = String(delta.signature)
	else if (delta.type === 'citations_delta' && delta.citation)
		block.citations = [...objectsIn(block.citations), delta.citation as Loose<TextCitation>]
}

const CONTEXT_FULL = 'model_context_window_exceeded'
const lengths = new Set(['max_tokens', CONTEXT_FULL])

function stopOf(reason: string, { tool_calls }: AssistantMessage): ModelStop {
	if (lengths.has(reason)) return 'length'
	if (reason === 'refusal') return 'refusal'
	return tool_calls ? 'tool_calls' : 'end'
}

/** `made`: searches of this answer, where its server does not count them. */
function readUsage(usage: Usage, made: Search[] = []): ModelUsage | undefined {
	const read = usage.cache_read_input_tokens ?? 0
	const written = usage.cache_creation_input_tokens ?? 0
	const input = (usage.input_tokens ?? Number.NaN) + read + written
	const served = made.filter(({ found }) => found !== undefined).length
	return usageOf(
		input,
		read,
		written,
		usage.output_tokens,
		usage.server_tool_use?.web_search_requests ?? served,
	)
}
