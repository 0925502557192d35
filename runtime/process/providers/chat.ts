/**
 * OpenAI `POST /chat/completions`, the interface that every compatible server has. Requests and answers are compiled
 * against the types of the `openai` package.
 */
import type {
	ChatCompletionChunk,
	ChatCompletionContentPart,
	ChatCompletionCreateParamsStreaming,
	ChatCompletionFunctionTool,
	ChatCompletionMessage,
	ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import { isOfficial, openaiFormat, type Schema, searchOf } from '../../../bundles/index.ts'
import type { AssistantMessage, Citation, Message, ModelStop, ToolDefinition } from '../../wire/model.ts'
import { streamFailure } from './failure.ts'
import { dataUrl, type FilePart, partsOf } from './file-parts.ts'
import { chatCitations, searchOptions } from './openai-search.ts'
import { chatOptions } from './options.ts'
import { type CallRules, type SentCalls, sentCalls } from './sent-calls.ts'
import { isWhole, sentInput, textOf, toolCall } from './tool-input.ts'
import type { ModelRequest } from './types.ts'
import { usageOf } from './usage.ts'
import { type Loose, objectsIn, type Wire, type WireReader } from './wire.ts'

/** In one answer. */
const MAX_CALLS = 1_000
const callRules: CallRules = { nameMax: 64, idMax: 40 }

export const chat: Wire = {
	path: '/chat/completions',
	headers: (_request, apiKey) => ({ authorization: `Bearer ${apiKey}` }),
	api: 'chat',
	body,
	reader,
}

function body(request: ModelRequest): Record<string, unknown> {
	const system = request.system ? [{ role: 'system' as const, content: request.system }] : []
	const own: ChatCompletionCreateParamsStreaming = {
		model: request.model,
		tools: request.tools.length > 0 ? request.tools.map(tool) : undefined,
		response_format: request.output && {
			type: 'json_schema',
			json_schema: openaiFormat(request.output, request.options?.strict),
		},
		...searchOptions(request),
		...chatOptions(request),
		// Strict servers refuse members they do not know.
		prompt_cache_key: isOfficial(request) ? request.cacheKey : undefined,
		store: isOfficial(request) ? false : undefined,
		messages: [...system, ...chatMessages(request)],
		stream: true,
		stream_options: { include_usage: true },
	}
	return { ...request.parameters, ...own }
}

function tool({ name, description, input }: ToolDefinition): ChatCompletionFunctionTool {
	return { type: 'function', function: { name, description, parameters: input as Schema } }
}

/** Some models think on from what they thought before a tool call, and want it back. */
type ChatMessage = ChatCompletionMessageParam & Kept

/** A tool's message has text alone there: what it shows besides follows the results of all calls of that turn. */
function chatMessages(request: ModelRequest): ChatMessage[] {
	const messages: ChatMessage[] = []
	const calls = sentCalls(callRules, request)
	let after: ChatCompletionContentPart[] = []
	const flush = () => {
		if (after.length > 0) messages.push({ role: 'user', content: after })
		after = []
	}
	for (const message of request.messages) {
		if (message.role !== 'tool') flush()
		const parts = message.role === 'assistant' ? [] : partsOf(message, request).map(contentPart)
		if (message.role === 'tool') after.push(...parts)
		if (message.role !== 'user' || parts.length === 0) messages.push(chatMessage(message, calls))
		else messages.push({ role: 'user', content: [...textPart(message.content), ...parts] })
	}
	flush()
	return messages
}

const textPart = (text: string) => (text ? [{ type: 'text' as const, text }] : [])

function contentPart(part: FilePart): ChatCompletionContentPart {
	if (part.kind === 'text') return { type: 'text', text: part.text }
	if (part.kind === 'image') return { type: 'image_url', image_url: { url: dataUrl(part.type, part.base64) } }
	return { type: 'file', file: { filename: part.name, file_data: dataUrl('application/pdf', part.base64) } }
}

function chatMessage(message: Message, sent: SentCalls): ChatMessage {
	if (message.role === 'user') return { role: 'user', content: message.content }
	if (message.role === 'tool') {
		const content = message.is_error ? `Error: ${message.content}` : message.content
		return { role: 'tool', tool_call_id: sent.answered(message.tool_call_id), content }
	}
	const calls = message.tool_calls?.map((call) => {
		const { id, name } = sent.made(call.id, call.name)
		const made = { name, arguments: JSON.stringify(sentInput(call.input)) }
		return { id, type: 'function' as const, function: made }
	})
	const { reasoning_content } = (message.provider ?? {}) as Kept
	return {
		role: 'assistant',
		content: message.content || (calls?.length ? null : ''),
		...(calls?.length && { tool_calls: calls }),
		...(typeof reasoning_content === 'string' && { reasoning_content }),
	}
}

interface Kept {
	reasoning_content?: string
}

type Chunk = Loose<ChatCompletionChunk> & { error?: unknown }

/** With what other servers add: content as a list of parts with thinking among them, arguments that are no text. */
type Delta = Omit<Loose<ChatCompletionChunk.Choice.Delta>, 'content'> & {
	content?: string | { type?: string; text?: unknown }[] | null
	reasoning_content?: string | null
	/** Of OpenAI's search models: no part of the type of its library. */
	annotations?: Loose<ChatCompletionMessage.Annotation>[] | null
}

type CallPart = Loose<ChatCompletionChunk.Choice.Delta.ToolCall>

/** The interface before tools: one call in an answer, without an id. Some servers still answer so. */
const LEGACY = 'function_call'

interface ToolCallSoFar {
	id: string
	name: string
	text: string
}

function reader(onDelta: ((text: string) => void) | undefined, { options = {} }: ModelRequest): WireReader {
	/** A search model searches once for each answer, and nothing of it is counted in the usage. */
	const searched = searchOf(options) ? 1 : 0
	const citations: Citation[] = []
	let model = ''
	let content = ''
	let refusal = ''
	let thought = ''
	let finish: string | undefined
	let usage: Chunk['usage']
	const calls = callList()
	const legacy = { id: '', name: '', text: '' }

	const add = (delta: Delta) => {
		const text = saidIn(delta.content)
		if (text) {
			content += text
			onDelta?.(text)
		}
		if (delta.refusal) refusal += delta.refusal
		citations.push(...chatCitations(delta.annotations))
		if (delta.reasoning_content) thought += delta.reasoning_content
		for (const part of objectsIn(delta.tool_calls)) {
			const text = textOf(part.function?.arguments)
			const call = calls.of(part, text)
			call.id ||= String(part.id ?? '')
			call.name ||= String(part.function?.name ?? '')
			call.text += text
		}
		legacy.name ||= String(delta.function_call?.name ?? '')
		legacy.text += textOf(delta.function_call?.arguments)
	}

	return {
		event(data) {
			const chunk = JSON.parse(data) as Chunk
			if (chunk.error) throw streamFailure(chunk.error)
			if (chunk.model) model = chunk.model
			if (chunk.usage) usage = chunk.usage
			// One answer is asked for. Some servers send more, and each has its index.
			const choice = objectsIn(chunk.choices).find(({ index }) => (index ?? 0) === 0)
			if (choice?.delta) add(choice.delta)
			if (choice?.finish_reason) finish = choice.finish_reason
		},
		result() {
			if (finish === undefined || broken.has(finish)) return undefined
			const message: AssistantMessage = { role: 'assistant', content: content || refusal }
			const cut = lengths.has(finish)
			// Some servers send a call in both forms.
			const all = calls.all.length === 0 && legacy.name ? [legacy] : calls.all
			const made = all.map(({ id, name, text }, i) => toolCall(id || `call_${i}`, name, text, cut))
			// It announced calls and sent none: no answer of a model is empty so.
			const announced = finish === 'tool_calls' || finish === LEGACY
			if (announced && made.length === 0 && !message.content) return undefined
			if (made.length > 0) message.tool_calls = made
			if (thought) message.provider = { reasoning_content: thought } satisfies Kept
			const { prompt_tokens, completion_tokens, prompt_tokens_details: details } = usage ?? {}
			const counted = usageOf(
				prompt_tokens,
				details?.cached_tokens,
				details?.cache_write_tokens,
				completion_tokens,
				searched,
			)
			const stop = refusal ? 'refusal' : stopOf(finish, made.length > 0)
			return {
				message,
				stop,
				...(finish === 'content_filter' && !refusal && { why: 'content_filter' as const }),
				model,
				...(counted && { usage: counted }),
				...(citations.length > 0 && { citations }),
			}
		},
		searched: () => searched,
	}
}

/**
 * The calls of one answer, each known by its index. Servers without indexes, or with the same one for all, send calls
 * one after another: another id with a name begins the next, and so does a name with arguments where those so far are
 * whole, as some servers give no id, or one to all.
 */
function callList() {
	const all: ToolCallSoFar[] = []
	const newest = new Map<number | undefined, ToolCallSoFar>()
	const of = ({ index, id, function: made }: CallPart, text: string): ToolCallSoFar => {
		const at = index ?? undefined
		const known = newest.get(at)
		const again = () => text.startsWith('{') && isWhole(known?.text ?? '')
		const other = (id ? id !== known?.id : at === undefined) || (made?.name && again())
		if (known && !(other && made?.name)) return known
		if (all.length >= MAX_CALLS || (at === undefined && !id && !made?.name)) {
			throw new RangeError('a call out of place')
		}
		const call = { id: '', name: '', text: '' }
		newest.set(at, call)
		all.push(call)
		return call
	}
	return { all, of }
}

function saidIn(content: Delta['content']): string {
	if (!Array.isArray(content)) return content ?? ''
	return objectsIn(content)
		.map(({ type, text }) => (type === 'text' ? String(text ?? '') : ''))
		.join('')
}

/** Reasons of servers that stopped in the middle for a reason of their own. */
const broken = new Set(['abort', 'error', 'insufficient_system_resource'])
const lengths = new Set(['length', 'model_length'])

function stopOf(finish: string, called: boolean): ModelStop {
	if (lengths.has(finish)) return 'length'
	if (finish === 'content_filter') return 'refusal'
	return called ? 'tool_calls' : 'end'
}
