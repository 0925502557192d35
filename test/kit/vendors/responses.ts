/** OpenAI `POST /v1/responses`. */
import { createdAt, pieces, type SseEvent, type Turn, type VendorAnswer } from './answer.ts'

export const responsesError: SseEvent = [
	'error',
	{ type: 'error', code: 'server_error', message: 'Overloaded', param: null, sequence_number: 99 },
]

export function responseObject(answer: VendorAnswer, done: boolean) {
	const { model, turn, usage } = answer
	return {
		id: `resp_${answer.id}`,
		object: 'response',
		created_at: createdAt,
		status: done ? (turn.length ? 'incomplete' : 'completed') : 'in_progress',
		model,
		error: null,
		incomplete_details: done && turn.length ? { reason: 'max_output_tokens' } : null,
		instructions: null,
		metadata: {},
		output: done ? items(answer) : [],
		parallel_tool_calls: true,
		temperature: null,
		tool_choice: 'auto',
		tools: [],
		top_p: null,
		usage: done && usage ? usageObject(usage) : null,
	}
}

export function responsesEvents(answer: VendorAnswer): SseEvent[] {
	const events: SseEvent[] = []
	const add = (type: string, data: object) =>
		events.push([type, { type, sequence_number: events.length, ...data }])
	add('response.created', { response: responseObject(answer, false) })
	add('response.in_progress', { response: responseObject(answer, false) })
	for (const [output_index, item] of items(answer).entries()) {
		add('response.output_item.added', { output_index, item: { ...item, ...blank(item) } })
		for (const [type, data] of inner(item, answer)) add(type, { output_index, item_id: item.id, ...data })
		add('response.output_item.done', { output_index, item })
	}
	const last = answer.turn.length ? 'response.incomplete' : 'response.completed'
	add(last, { response: responseObject(answer, true) })
	return events
}

type Item = Record<string, unknown> & { id: string; type: string }

function items({ id, turn, text, calls }: VendorAnswer): Item[] {
	const list: Item[] = []
	if (turn.thinking) {
		const summary = [{ type: 'summary_text', text: turn.thinking }]
		list.push({ type: 'reasoning', id: `rs_${id}`, summary, encrypted_content: `sealed:${turn.thinking}` })
	}
	for (const [i, { query = '', queries = [query], found, error }] of (turn.searches ?? []).entries()) {
		const sources = found?.map((page) => page && { type: 'url', url: page.url })
		const action = { type: 'search', query, queries, ...(sources && { sources }) }
		const status = error ? 'failed' : 'completed'
		list.push({ type: 'web_search_call', id: `ws_${id}_${i}`, status, action })
	}
	if (text || turn.refusal) {
		const part = turn.refusal
			? { type: 'refusal', refusal: turn.refusal }
			: { type: 'output_text', text, annotations: annotations(text, turn), logprobs: [] }
		list.push({ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [part] })
	}
	for (const call of calls) {
		const { name, input } = call
		const given = { call_id: call.id, name, arguments: JSON.stringify(input), status: 'completed' }
		list.push({ type: 'function_call', id: `fc_${call.id}`, ...given })
	}
	return list
}

export function annotations(text: string, { cites = [] }: Turn) {
	return cites.map(({ quote, url, title }) => {
		const start_index = text.indexOf(quote)
		return { type: 'url_citation', url, title, start_index, end_index: start_index + quote.length }
	})
}

function blank(item: Item): object {
	if (item.type === 'message') return { content: [], status: 'in_progress' }
	if (item.type === 'web_search_call') return { status: 'in_progress', action: undefined }
	return item.type === 'reasoning' ? { summary: [] } : { arguments: '', status: 'in_progress' }
}

function inner(item: Item, answer: VendorAnswer): [type: string, data: object][] {
	if (item.type === 'function_call') {
		const deltas = pieces(String(item.arguments), answer)
		const done = { arguments: item.arguments, name: item.name }
		return [
			...deltas.map((delta): [string, object] => ['response.function_call_arguments.delta', { delta }]),
			['response.function_call_arguments.done', done],
		]
	}
	if (item.type === 'web_search_call')
		return ['in_progress', 'searching', 'completed'].map((at) => [`response.web_search_call.${at}`, {}])
	if (item.type !== 'message') return []
	const [part] = item.content as [{ type: string; text?: string; refusal?: string; annotations?: object[] }]
	const field = part.refusal === undefined ? 'text' : 'refusal'
	const kind = field === 'text' ? 'response.output_text' : 'response.refusal'
	const deltas = pieces(part[field] ?? '', answer)
	return [
		[
			'response.content_part.added',
			{ content_index: 0, part: { ...part, [field]: '', ...(part.annotations && { annotations: [] }) } },
		],
		...deltas.map((delta): [string, object] => [`${kind}.delta`, { content_index: 0, delta, logprobs: [] }]),
		...(part.annotations ?? []).map((annotation, annotation_index): [string, object] => [
			'response.output_text.annotation.added',
			{ content_index: 0, annotation_index, annotation },
		]),
		[`${kind}.done`, { content_index: 0, [field]: part[field], logprobs: [] }],
		['response.content_part.done', { content_index: 0, part }],
	]
}

function usageObject({ input, cached, output }: NonNullable<VendorAnswer['usage']>) {
	return {
		input_tokens: input,
		input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: input + output,
	}
}
