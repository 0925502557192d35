/** Anthropic `POST /v1/messages`. */
import { pieces, type SseEvent, type Turn, type VendorAnswer } from './answer.ts'

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
			server_tool_use: servedOf(answer),
		},
	}
}

export function messagesEvents(answer: VendorAnswer): SseEvent[] {
	const whole = messageObject(answer)
	const events: SseEvent[] = []
	const add = (type: string, data: object) => events.push([type, { type, ...data }])
	const usage = { ...whole.usage, output_tokens: 1, server_tool_use: null }
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
	const { output_tokens, server_tool_use } = whole.usage
	add('message_delta', { delta, usage: { output_tokens, server_tool_use } })
	add('message_stop', {})
	return events
}

function stopReason({ turn, calls }: VendorAnswer) {
	if (turn.refusal) return 'refusal'
	if (turn.length) return 'max_tokens'
	if (turn.pause) return 'pause_turn'
	return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function blocks(answer: VendorAnswer): Record<string, unknown>[] {
	const { turn, text, calls } = answer
	const list: Record<string, unknown>[] = []
	if (turn.thinking)
		list.push({ type: 'thinking', thinking: turn.thinking, signature: `signed:${turn.thinking}` })
	if (turn.preamble) list.push({ type: 'text', text: turn.preamble, citations: null })
	list.push(...searchBlocks(answer))
	const said = text || turn.refusal
	if (said) list.push(...citedTexts(said, turn))
	for (const call of calls) list.push({ type: 'tool_use', ...call })
	return list
}

/** Of a real answer: a search that failed is not counted. */
function servedOf({ turn: { searches } }: VendorAnswer) {
	if (!searches) return null
	return { web_search_requests: searches.filter(({ found }) => found).length, web_fetch_requests: 0 }
}

const caller = { type: 'direct' }

function searchBlocks({ id, turn }: VendorAnswer): Record<string, unknown>[] {
	return (turn.searches ?? []).flatMap(({ query, found, error, ...given }, i) => {
		const tool_use_id = given.id ?? `srvtoolu_${id}_${i}`
		const content = error
			? { type: 'web_search_tool_result_error', error_code: error }
			: found?.map(
					(page, n) =>
						page && {
							...{ type: 'web_search_result', url: page.url, title: page.title },
							...{ page_age: n === 0 ? null : 'April 30, 2026', encrypted_content: `sealed:${page.url}` },
						},
				)
		const asked = { type: 'server_tool_use', id: tool_use_id, name: 'web_search', input: { query }, caller }
		return [
			...(query === undefined ? [] : [asked]),
			...(content ? [{ type: 'web_search_tool_result', tool_use_id, content, caller }] : []),
		]
	})
}

/** The text in blocks, those with a citation apart. */
function citedTexts(text: string, { cites = [] }: Turn): Record<string, unknown>[] {
	const list: Record<string, unknown>[] = []
	let rest = text
	for (const { quote, title, cited_text, url, document = 0, page = 1 } of cites) {
		const [before = '', ...after] = rest.split(quote)
		if (before) list.push({ type: 'text', text: before, citations: null })
		const citation = url
			? { type: 'web_search_result_location', url, title, cited_text, encrypted_index: `index:${url}` }
			: {
					...{ type: 'page_location', cited_text, document_index: document, document_title: title },
					...{ start_page_number: page, end_page_number: page + 1, file_id: null },
				}
		list.push({ type: 'text', text: quote, citations: [citation] })
		rest = after.join(quote)
	}
	if (rest) list.push({ type: 'text', text: rest, citations: null })
	return list
}

function inner(block: Record<string, unknown>, answer: VendorAnswer): { blank: object; deltas: object[] } {
	const cut = (value: unknown) => pieces(String(value), answer)
	if (block.type === 'text') {
		const cited = (block.citations ?? []) as object[]
		return {
			blank: { text: '', citations: cited.length > 0 ? [] : null },
			deltas: [
				...cited.map((citation) => ({ type: 'citations_delta', citation })),
				...cut(block.text).map((text) => ({ type: 'text_delta', text })),
			],
		}
	}
	if (block.type === 'thinking') {
		const said = cut(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }))
		const signed = { type: 'signature_delta', signature: block.signature }
		return { blank: { thinking: '', signature: '' }, deltas: [...said, signed] }
	}
	if (block.type === 'web_search_tool_result') return { blank: {}, deltas: [] }
	const json = cut(JSON.stringify(block.input))
	return {
		blank: { input: {} },
		deltas: json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
	}
}
