/** Anthropic `POST /v1/messages`. */
import { pieces, type SseEvent, type VendorAnswer } from './answer.ts'

export const messagesError: SseEvent = [
	'error',
	{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
]

export function messageObject(answer: VendorAnswer) {
	const { model, usage } = answer
	const { input, cached, output } = usage ?? { input: 0, cached: 0, output: 0 }
	return {
		id: `msg_${answer.id}`,
		type: 'message',
		role: 'assistant',
		model,
		content: blocks(answer),
		container: null,
		stop_reason: stopReason(answer),
		stop_sequence: null,
		stop_details: null,
		usage: {
			input_tokens: input - cached,
			cache_read_input_tokens: cached,
			cache_creation_input_tokens: 0,
			output_tokens: output,
		},
	}
}

export function messagesEvents(answer: VendorAnswer): SseEvent[] {
	const whole = messageObject(answer)
	const events: SseEvent[] = []
	const add = (type: string, data: object) => events.push([type, { type, ...data }])
	const usage = { ...whole.usage, output_tokens: 1 }
	add('message_start', { message: { ...whole, content: [], stop_reason: null, usage } })
	for (const [index, block] of whole.content.entries()) {
		const { blank, deltas } = inner(block, answer)
		add('content_block_start', { index, content_block: { ...block, ...blank } })
		if (index === 0) add('ping', {})
		for (const delta of deltas) add('content_block_delta', { index, delta })
		add('content_block_stop', { index })
	}
	const { stop_reason, stop_sequence, stop_details } = whole
	const delta = { stop_reason, stop_sequence, stop_details, container: null }
	add('message_delta', { delta, usage: { output_tokens: whole.usage.output_tokens } })
	add('message_stop', {})
	return events
}

function stopReason({ turn, calls }: VendorAnswer) {
	if (turn.refusal) return 'refusal'
	if (turn.length) return 'max_tokens'
	return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function blocks({ turn, text, calls }: VendorAnswer): Record<string, unknown>[] {
	const list: Record<string, unknown>[] = []
	if (turn.thinking)
		list.push({ type: 'thinking', thinking: turn.thinking, signature: `signed:${turn.thinking}` })
	const said = text || turn.refusal
	if (said) list.push({ type: 'text', text: said, citations: null })
	for (const call of calls) list.push({ type: 'tool_use', ...call })
	return list
}

function inner(block: Record<string, unknown>, answer: VendorAnswer): { blank: object; deltas: object[] } {
	const cut = (value: unknown) => pieces(String(value), answer)
	if (block.type === 'text') {
		return { blank: { text: '' }, deltas: cut(block.text).map((text) => ({ type: 'text_delta', text })) }
	}
	if (block.type === 'thinking') {
		const said = cut(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }))
		const signed = { type: 'signature_delta', signature: block.signature }
		return { blank: { thinking: '', signature: '' }, deltas: [...said, signed] }
	}
	const json = cut(JSON.stringify(block.input))
	return {
		blank: { input: {} },
		deltas: json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
	}
}
