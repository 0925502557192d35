/** Anthropic's own web search, and citations of its answers. */
import type { TextCitation, WebSearchTool20250305 } from '@anthropic-ai/sdk/resources/messages/messages'
import { SEARCH_TOOL, searchesAtMost, searchOf } from '../../../bundles/index.ts'
import type { Citation, Search } from '../../wire/model.ts'
import { codeOf, type ReadBlock } from './messages-blocks.ts'
import { type ModelRequest, ProviderError } from './types.ts'
import { type Loose, objectsIn } from './wire.ts'

/** The version without code execution at the provider: what is found goes to the model alone. */
export function searchTool({ options = {}, tools, searched = 0 }: ModelRequest): WebSearchTool20250305[] {
	const search = searchOf(options)
	if (!search) return []
	if (tools.some(({ name }) => name === SEARCH_TOOL)) {
		const text = `a tool of the agent is named ${SEARCH_TOOL}, as Anthropic's own search is: rename it, or leave web_search out`
		throw new ProviderError('agent_error', text)
	}
	const { allowed_domains, blocked_domains, user_location } = search
	return [
		{
			type: 'web_search_20250305',
			name: SEARCH_TOOL,
			// Of the whole call; the provider counts those of one request, and takes no 0.
			max_uses: Math.max(1, searchesAtMost('messages', search) - searched),
			...(allowed_domains && { allowed_domains }),
			...(blocked_domains && { blocked_domains }),
			...(user_location && { user_location: { type: 'approximate', ...user_location } }),
		},
	]
}

/** What was searched for, and what came of it. */
export function searchesIn(blocks: readonly ReadBlock[]): Search[] {
	const searches = new Map<string, Search>()
	for (const { type, id, name, input, tool_use_id, content } of blocks) {
		if (type === 'server_tool_use' && name === SEARCH_TOOL) {
			const { query } = (input ?? {}) as { query?: unknown }
			searches.set(String(id), { action: 'search', ...(typeof query === 'string' && { query }) })
		}
		if (type !== 'web_search_tool_result') continue
		const found = Array.isArray(content)
			? { found: objectsIn(content).map(({ url }) => String(url)) }
			: { error: codeOf(content) }
		// Of a search that an answer before it asked for.
		const asked = searches.get(String(tool_use_id)) ?? { action: 'search' }
		searches.set(String(tool_use_id), { ...asked, ...found })
	}
	return [...searches.values()]
}

/** `files`: ids by the place of their document in the request. */
export function citationOf(
	cited: Loose<TextCitation>,
	at: Required<Pick<Citation, 'start_index' | 'end_index'>>,
	files: readonly string[],
): Citation[] {
	const { cited_text } = cited
	const text = typeof cited_text === 'string' && { cited_text }
	if (cited.type === 'web_search_result_location')
		return [{ type: 'url_citation', url: String(cited.url), title: cited.title ?? null, ...text, ...at }]
	const file = 'document_index' in cited ? files[cited.document_index ?? -1] : undefined
	if (typeof file !== 'string' || !('document_title' in cited)) return []
	const known = { type: 'file_citation' as const, file, title: cited.document_title ?? null, ...text, ...at }
	if (cited.type === 'page_location') {
		const { start_page_number, end_page_number } = cited
		return [{ ...known, ...counts({ start_page_number, end_page_number }) }]
	}
	if (cited.type !== 'char_location') return [known]
	const { start_char_index, end_char_index } = cited
	return [{ ...known, ...counts({ start_char_index, end_char_index }) }]
}

function counts<Name extends string>(given: Record<Name, unknown>): Partial<Record<Name, number>> {
	return Object.fromEntries(
		Object.entries(given).filter(([, value]) => Number.isSafeInteger(value)),
	) as Partial<Record<Name, number>>
}
