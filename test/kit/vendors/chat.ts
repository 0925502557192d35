/** OpenAI `POST /v1/chat/completions`, as vLLM, Ollama and most gateways speak it, too. */
import { createdAt, pieces, type SseEvent, type VendorAnswer } from './answer.ts'
import { annotations } from './responses.ts'

export const chatError: SseEvent = [
	null,
	{ error: { message: 'Overloaded', type: 'server_error', code: null, param: null } },
]

export function chatObject(answer: VendorAnswer) {
	const { id, model, text, turn, calls } = answer
	const message = {
		role: 'assistant',
		content: text || null,
		refusal: turn.refusal ?? null,
		...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
		...(turn.cites && { annotations: chatAnnotations(answer) }),
	}
	const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }]
	const usage = usageObject(answer.usage)
	return { id, object: 'chat.completion', created: createdAt, model, choices, ...(usage && { usage }) }
}

export function chatEvents(answer: VendorAnswer): SseEvent[] {
	const { id, model, text, turn, calls, usage, includeUsage } = answer
	const base = { id, object: 'chat.completion.chunk', created: createdAt, model }
	const events: SseEvent[] = []
	const add = (delta: object, finish_reason: string | null = null) => {
		const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
		events.push([null, { ...base, choices, ...(includeUsage && { usage: null }) }])
	}
	add({ role: 'assistant', content: text ? '' : null, refusal: null })
	for (const content of pieces(text, answer)) add({ content })
	if (turn.refusal) add({ refusal: turn.refusal })
	for (const [index, call] of calls.entries()) {
		const whole = toolCall(call)
		add({ tool_calls: [{ index, ...whole, function: { name: call.name, arguments: '' } }] })
		for (const part of pieces(whole.function.arguments, answer)) {
			add({ tool_calls: [{ index, function: { arguments: part } }] })
		}
	}
	// OpenAI's search models send them last, with nothing else.
	if (turn.cites) add({ annotations: chatAnnotations(answer) })
	add({}, finishReason(answer))
	if (includeUsage && usage) events.push([null, { ...base, choices: [], usage: usageObject(usage) }])
	return events
}

const chatAnnotations = ({ text, turn }: VendorAnswer) =>
	annotations(text, turn).map(({ type, ...url_citation }) => ({ type, url_citation }))

function usageObject(usage: VendorAnswer['usage']) {
	if (!usage) return null
	const { input, cached, output } = usage
	const prompt_tokens_details = { cached_tokens: cached }
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: input + output,
		prompt_tokens_details,
	}
}

function finishReason({ turn, calls }: VendorAnswer) {
	if (turn.length) return 'length'
	return calls.length > 0 ? 'tool_calls' : 'stop'
}

function toolCall(call: VendorAnswer['calls'][number]) {
	return {
		id: call.id,
		type: 'function',
		function: { name: call.name, arguments: JSON.stringify(call.input) },
	}
}
