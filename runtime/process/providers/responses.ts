/**
 * OpenAI `POST /responses`. Nothing is kept there (`store: false`): reasoning comes back sealed and is sent along.
 * Requests and answers are compiled against the types of the `openai` package.
 */
import type {
	EasyInputMessage,
	FunctionTool,
	Response,
	ResponseCreateParamsStreaming,
	ResponseFunctionToolCall,
	ResponseFunctionWebSearch,
	ResponseInputFileContent,
	ResponseInputImageContent,
	ResponseInputItem,
	ResponseInputTextContent,
	ResponseOutputItem,
	ResponseOutputRefusal,
	ResponseOutputText,
	ResponseReasoningItem,
	ResponseStreamEvent,
} from 'openai/resources/responses/responses'
import { isOfficial, openaiFormat, type Schema } from '../../../bundles/index.ts'
import type { AssistantMessage, Citation, Message, Search, ToolDefinition } from '../../wire/model.ts'
import { streamFailure } from './failure.ts'
import { dataUrl, type FilePart, partsOf } from './file-parts.ts'
import { citationsOf, keptSearch, paid, searchBound, searchIn, searchTool } from './openai-search.ts'
import { responsesOptions } from './options.ts'
import { BETWEEN_MESSAGES, textDeltas } from './responses-deltas.ts'
import { type CallRules, type SentCalls, sentCalls } from './sent-calls.ts'
import { sentInput, sentText, textOf, toolCall } from './tool-input.ts'
import type { ModelRequest } from './types.ts'
import { usageOf } from './usage.ts'
import { type Loose, objectsIn, type Wire, type WireReader } from './wire.ts'

const callRules: CallRules = { nameMax: 64, idMax: 64 }

export const responses: Wire = {
	path: '/responses',
	headers: (_request, apiKey) => ({ authorization: `Bearer ${apiKey}` }),
	api: 'responses',
	body,
	reader,
}

function body(request: ModelRequest): Record<string, unknown> {
	const { text, ...parameters } = request.parameters
	const format = request.output && {
		type: 'json_schema' as const,
		...openaiFormat(request.output, request.options?.strict),
	}
	const tools = [...request.tools.map(tool), ...searchTool(request)]
	const calls = sentCalls(callRules, request)
	const own: ResponseCreateParamsStreaming = {
		model: request.model,
		instructions: request.system || undefined,
		tools: tools.length > 0 ? tools : undefined,
		...searchBound(request),
		text: text || format ? { ...(text as object), ...(format && { format }) } : undefined,
		prompt_cache_key: isOfficial(request) ? request.cacheKey : undefined,
		...responsesOptions(request),
		input: request.messages.flatMap((message) => inputItems(message, request, calls)),
		store: false,
		stream: true,
	}
	return { ...parameters, ...own }
}

function tool({ name, description, input }: ToolDefinition): FunctionTool {
	return { type: 'function', name, description, parameters: input as Schema, strict: false }
}

function inputItems(message: Message, request: ModelRequest, calls: SentCalls): ResponseInputItem[] {
	if (message.role === 'user')
		return [
			{ type: 'message', role: 'user', content: withParts(message.content, message, request) as string },
		]
	if (message.role === 'tool') {
		const text = message.is_error ? `Error: ${message.content}` : message.content
		const output = withParts(text, message, request) as string
		return [{ type: 'function_call_output', call_id: calls.answered(message.tool_call_id), output }]
	}
	const kept = (message.provider as Kept | undefined)?.items
	if (Array.isArray(kept)) return kept.flatMap(keptItem).map((item) => sentItem(item, calls))
	const said = message.content ? [saidItem(message.content, undefined)] : []
	return [
		...said,
		...(message.tool_calls ?? []).map(({ id, name, input }) => {
			const sent = calls.made(id, name)
			return callItem(sent.id, sent.name, JSON.stringify(sentInput(input)))
		}),
	]
}

function sentItem(item: KeptItem, calls: SentCalls): KeptItem {
	if (item.type !== 'function_call') return item
	const { id, name } = calls.made(item.call_id, item.name)
	return callItem(id, name, sentText(item.arguments))
}

type ContentPart = ResponseInputTextContent | ResponseInputImageContent | ResponseInputFileContent

/** Text alone stays text, as every server takes it. */
function withParts(
	text: string,
	message: Exclude<Message, { role: 'assistant' }>,
	request: ModelRequest,
): string | ContentPart[] {
	const parts = partsOf(message, request).map(contentPart)
	if (parts.length === 0) return text
	return [...(text ? [{ type: 'input_text' as const, text }] : []), ...parts]
}

function contentPart(part: FilePart): ContentPart {
	if (part.kind === 'text') return { type: 'input_text', text: part.text }
	if (part.kind === 'image')
		return { type: 'input_image', image_url: dataUrl(part.type, part.base64), detail: 'auto' }
	return { type: 'input_file', filename: part.name, file_data: dataUrl('application/pdf', part.base64) }
}

type Phase = EasyInputMessage['phase']

function saidItem(content: string, phase: unknown): EasyInputMessage {
	const known = typeof phase === 'string' && { phase: phase as Phase }
	return { type: 'message', role: 'assistant', content, ...known }
}

function callItem(call_id: unknown, name: unknown, text: unknown): ResponseFunctionToolCall {
	return { type: 'function_call', call_id: String(call_id), name: String(name), arguments: String(text) }
}

type KeptItem =
	| EasyInputMessage
	| ResponseFunctionToolCall
	| ResponseFunctionWebSearch
	| ResponseReasoningItem

/** An answer with reasoning or a search in it, item by item, since each reasoning belongs to the item after it. */
interface Kept {
	items?: KeptItem[]
}

/** What comes back has been in the guest's hands: only what is known is taken from it, member by member. */
function keptItem(item: Loose<KeptItem>): KeptItem[] {
	if (item.type === 'message') return [saidItem(String(item.content), item.phase)]
	if (item.type === 'function_call') return [callItem(item.call_id, item.name, item.arguments)]
	if (item.type === 'web_search_call') return [keptSearch(item)]
	if (item.type !== 'reasoning') return []
	const { id, encrypted_content, summary } = item
	const texts = (Array.isArray(summary) ? summary : []).map((part) => String(part.text))
	return [
		{
			type: 'reasoning',
			id: String(id),
			encrypted_content: String(encrypted_content),
			summary: texts.map((text) => ({ type: 'summary_text', text })),
		},
	]
}

type EventType = ResponseStreamEvent['type']
export type Event<Type extends EventType> = Loose<Extract<ResponseStreamEvent, { type: Type }>>

function parsed<Type extends EventType>(data: string): Event<Type> {
	return JSON.parse(data) as Event<Type>
}

/** The last event holds the whole answer, so the others are parsed only where their text is asked for. */
function reader(onDelta: ((text: string) => void) | undefined): WireReader {
	const done: string[] = []
	const deltas = onDelta && textDeltas(onDelta)
	let last: { response: Loose<Response>; complete: boolean } | undefined
	return {
		event(data, name) {
			const named = name !== '' && name !== 'message'
			const type = (named ? name : parsed(data).type) as EventType | undefined
			if (type === 'response.output_text.delta') {
				if (deltas) deltas.delta(parsed<typeof type>(data))
			} else if (type === 'response.output_item.added') {
				if (deltas) deltas.item(parsed<typeof type>(data))
			} else if (type === 'response.output_item.done') {
				done.push(data)
			} else if (type === 'response.completed' || type === 'response.incomplete') {
				const response = parsed<typeof type>(data).response as Loose<Response>
				if (response.status === 'failed') throw streamFailure(response.error)
				if (response.status === 'cancelled') return
				// Some servers end every answer alike, and say here what became of it.
				last = { response, complete: type === 'response.completed' && response.status !== 'incomplete' }
			} else if (type === 'response.failed') {
				throw streamFailure(parsed<typeof type>(data).response?.error)
			} else if (type === 'error') {
				// Some servers put it within `error`.
				const { error, code, message } = parsed<typeof type>(data) as ErrorEvent
				throw streamFailure(error ?? { code, message })
			}
		},
		result() {
			if (!last) return undefined
			const { response, complete } = last
			deltas?.end()
			// Some servers leave the items out of the last event, having sent each before.
			const items = response.output?.length
				? response.output
				: done.map((data) => parsed<'response.output_item.done'>(data).item as Loose<ResponseOutputItem>)
			const { message, refused, citations, searches } = readItems(items, !complete)
			const filtered = response.incomplete_details?.reason === 'content_filter'
			const stop =
				refused || filtered ? 'refusal' : !complete ? 'length' : message.tool_calls ? 'tool_calls' : 'end'
			const { input_tokens, output_tokens, input_tokens_details: details } = response.usage ?? {}
			const { cached_tokens, cache_write_tokens } = details ?? {}
			const usage = usageOf(input_tokens, cached_tokens, cache_write_tokens, output_tokens, paid(searches))
			return {
				message,
				stop,
				...(filtered && !refused && { why: 'content_filter' as const }),
				model: String(response.model ?? ''),
				...(usage && { usage }),
				...(citations.length > 0 && { citations }),
				...(searches.length > 0 && { searches }),
			}
		},
		searched: () =>
			done
				.map(
					(data) => parsed<'response.output_item.done'>(data).item as Loose<ResponseOutputItem> | undefined,
				)
				.filter((item) => item?.type === 'web_search_call' && paid([searchIn(item)]) > 0).length,
	}
}

type ErrorEvent = Event<'error'> & { error?: unknown }

type Part = Partial<Pick<ResponseOutputText, 'text'> & Pick<ResponseOutputRefusal, 'refusal'>> & {
	annotations?: Loose<ResponseOutputText>['annotations']
	type?: (ResponseOutputText | ResponseOutputRefusal)['type']
}

/** Some servers say a text as it is, or nothing beside calls. */
function partsIn(content: unknown): Part[] {
	return typeof content === 'string' ? [{ text: content }] : objectsIn(content as Part[] | null | undefined)
}

interface ReadItems {
	message: AssistantMessage
	refused: boolean
	citations: Citation[]
	searches: Search[]
}

function readItems(items: Loose<ResponseOutputItem>[], cut: boolean): ReadItems {
	let content = ''
	let refused = false
	const citations: Citation[] = []
	const searches: Search[] = []
	const calls: NonNullable<AssistantMessage['tool_calls']> = []
	const kept: KeptItem[] = []
	// With a final answer, what the model said on the way to it (`commentary`) is no part of the text.
	const isFinal = (item: Loose<ResponseOutputItem>) =>
		item.type === 'message' && item.phase === 'final_answer'
	const hasFinal = items.some(isFinal)
	for (const item of items) {
		if (item.type === 'message') {
			const parts = partsIn(item.content)
			const text = parts.map((part) => part.text ?? part.refusal ?? '').join('')
			refused ||= parts.some(({ type }) => type === 'refusal')
			if (text !== '' && (!hasFinal || isFinal(item))) {
				if (content !== '') content += BETWEEN_MESSAGES
				for (const part of parts) {
					citations.push(...citationsOf(part.annotations, content.length))
					content += part.text ?? part.refusal ?? ''
				}
			}
			kept.push(saidItem(text, item.phase))
		} else if (item.type === 'function_call') {
			const id = String(item.call_id ?? '') || `call_${calls.length}`
			const [name, written] = [String(item.name ?? ''), textOf(item.arguments)]
			calls.push(toolCall(id, name, written, cut))
			kept.push(callItem(id, name, written))
		} else if (item.type === 'web_search_call') {
			searches.push(searchIn(item))
			kept.push(keptSearch(item))
		} else if (item.type === 'reasoning' && typeof item.encrypted_content === 'string') {
			kept.push(...keptItem(item))
		}
	}
	const message: AssistantMessage = { role: 'assistant', content }
	if (calls.length > 0) message.tool_calls = calls
	const needed = kept.some(
		(item) =>
			item.type === 'reasoning' ||
			item.type === 'web_search_call' ||
			('phase' in item && item.phase !== undefined),
	)
	if (needed) message.provider = { items: kept } satisfies Kept
	return { message, refused, citations, searches }
}
