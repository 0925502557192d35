/** OpenAI `POST /responses`. Nothing is kept there (`store: false`): reasoning comes back sealed and is sent along. */
import { isOfficial } from '../../lib/provider-address.ts'
import type { AssistantMessage, Message, ToolDefinition } from '../../wire/model.ts'
import { streamFailure } from './failure.ts'
import { openaiFormat } from './structured.ts'
import { argumentsText, toolCall } from './tool-input.ts'
import type { ModelRequest } from './types.ts'
import { usageOf } from './usage.ts'
import type { Wire, WireReader } from './wire.ts'

export const responses: Wire = {
	path: '/responses',
	headers: (_request, apiKey) => ({ authorization: `Bearer ${apiKey}` }),
	reserved: new Set(['n']),
	body,
	reader,
}

interface Item {
	type: string
	[member: string]: unknown
}

function body(request: ModelRequest): Record<string, unknown> {
	const { text, ...parameters } = request.parameters
	const format = request.output && { format: { type: 'json_schema', ...openaiFormat(request.output) } }
	return {
		...parameters,
		model: request.model,
		...(request.system && { instructions: request.system }),
		...(request.tools.length > 0 && { tools: request.tools.map(tool) }),
		...((text || format) && { text: { ...(text as object), ...format } }),
		...(isOfficial(request) && { prompt_cache_key: request.cacheKey }),
		input: request.messages.flatMap(inputItems),
		store: false,
		stream: true,
	}
}

function tool({ name, description, input }: ToolDefinition) {
	return { type: 'function', name, description, parameters: input, strict: false }
}

function inputItems(message: Message): Item[] {
	if (message.role === 'user') return [{ type: 'message', role: 'user', content: message.content }]
	if (message.role === 'tool') {
		const output = message.is_error ? `Error: ${message.content}` : message.content
		return [{ type: 'function_call_output', call_id: message.tool_call_id, output }]
	}
	const kept = (message.provider as Kept | undefined)?.items
	if (Array.isArray(kept)) return kept.flatMap(keptItem)
	const said = message.content ? [saidItem(message.content, undefined)] : []
	return [
		...said,
		...(message.tool_calls ?? []).map((call) => callItem(call.id, call.name, argumentsText(call))),
	]
}

function saidItem(content: string, phase: unknown): Item {
	return { type: 'message', role: 'assistant', content, ...(typeof phase === 'string' && { phase }) }
}

function callItem(call_id: unknown, name: unknown, text: unknown): Item {
	return { type: 'function_call', call_id: String(call_id), name: String(name), arguments: String(text) }
}

/** An answer with reasoning in it, item by item, since each reasoning belongs to the item after it. */
interface Kept {
	items?: Item[]
}

/** What comes back has been in the guest's hands: only what is known is taken from it, member by member. */
function keptItem(item: Item): Item[] {
	if (item.type === 'message') return [saidItem(String(item.content), item.phase)]
	if (item.type === 'function_call') return [callItem(item.call_id, item.name, item.arguments)]
	if (item.type !== 'reasoning') return []
	const { id, encrypted_content, summary } = item
	const texts = (Array.isArray(summary) ? summary : []).map((part) =>
		String((part as { text?: unknown }).text),
	)
	return [
		{
			type: 'reasoning',
			id: String(id),
			encrypted_content: String(encrypted_content),
			summary: texts.map((text) => ({ type: 'summary_text', text })),
		},
	]
}

interface Response {
	model?: string
	status?: string
	output?: Item[] | null
	error?: { code?: string; message?: string } | null
	incomplete_details?: { reason?: string } | null
	usage?: { input_tokens?: number; output_tokens?: number; input_tokens_details?: InputDetails } | null
}

interface InputDetails {
	cached_tokens?: number
	cache_write_tokens?: number
}

/** The last event holds the whole answer, so the others are parsed only where their text is asked for. */
function reader(onDelta: ((text: string) => void) | undefined): WireReader {
	const done: string[] = []
	let last: { response: Response; complete: boolean } | undefined
	return {
		event(data, name) {
			const named = name !== '' && name !== 'message'
			const type = named ? name : (JSON.parse(data) as { type?: string }).type
			if (type === 'response.output_text.delta') {
				if (onDelta) onDelta((JSON.parse(data) as { delta: string }).delta)
			} else if (type === 'response.output_item.done') {
				done.push(data)
			} else if (type === 'response.completed' || type === 'response.incomplete') {
				const { response } = JSON.parse(data) as { response: Response }
				if (response.status === 'failed') throw failed(response)
				// Some servers end every answer alike, and say here what became of it.
				last = { response, complete: type === 'response.completed' && response.status !== 'incomplete' }
			} else if (type === 'response.failed') {
				throw failed((JSON.parse(data) as { response: Response }).response)
			} else if (type === 'error') {
				const event = JSON.parse(data) as { error?: Response['error'] } & NonNullable<Response['error']>
				throw streamFailure(event.error?.code ?? event.code, event.error?.message ?? event.message)
			}
		},
		result() {
			if (!last) return undefined
			const { response, complete } = last
			// Some servers leave the items out of the last event, having sent each before.
			const items = response.output?.length
				? response.output
				: done.map((data) => (JSON.parse(data) as { item: Item }).item)
			const { message, refused } = readItems(items, !complete)
			const filtered = response.incomplete_details?.reason === 'content_filter'
			const stop =
				refused || filtered ? 'refusal' : !complete ? 'length' : message.tool_calls ? 'tool_calls' : 'end'
			const { input_tokens, output_tokens, input_tokens_details: details } = response.usage ?? {}
			const usage = usageOf(input_tokens, details?.cached_tokens, details?.cache_write_tokens, output_tokens)
			return { message, stop, model: String(response.model ?? ''), ...(usage && { usage }) }
		},
	}
}

function failed({ error }: Response) {
	return streamFailure(error?.code, error?.message)
}

function readItems(items: Item[], cut: boolean): { message: AssistantMessage; refused: boolean } {
	let content = ''
	let refused = false
	const calls: NonNullable<AssistantMessage['tool_calls']> = []
	const kept: Item[] = []
	for (const item of items) {
		if (item.type === 'message') {
			let text = ''
			if (!Array.isArray(item.content)) throw new TypeError('a message without a list of parts')
			for (const part of item.content as { type: string; text?: string; refusal?: string }[]) {
				text += part.text ?? part.refusal ?? ''
				refused ||= part.type === 'refusal'
			}
			content += text
			kept.push(saidItem(text, item.phase))
		} else if (item.type === 'function_call') {
			calls.push(toolCall(String(item.call_id), String(item.name), String(item.arguments ?? ''), cut))
			kept.push(callItem(item.call_id, item.name, item.arguments ?? ''))
		} else if (item.type === 'reasoning' && typeof item.encrypted_content === 'string') {
			kept.push(...keptItem(item))
		}
	}
	const message: AssistantMessage = { role: 'assistant', content }
	if (calls.length > 0) message.tool_calls = calls
	const needed = kept.some((item) => item.type === 'reasoning' || item.phase !== undefined)
	if (needed) message.provider = { items: kept } satisfies Kept
	return { message, refused }
}
