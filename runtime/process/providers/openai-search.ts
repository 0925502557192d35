/** OpenAI's own web search, and citations of its answers, in both interfaces. */
import type {
	ChatCompletionCreateParamsStreaming,
	ChatCompletionMessage,
} from 'openai/resources/chat/completions'
import type {
	ResponseCreateParamsStreaming,
	ResponseFunctionWebSearch,
	ResponseOutputText,
	WebSearchTool,
} from 'openai/resources/responses/responses'
import { searchesAtMost, searchOf } from '../../../bundles/index.ts'
import type { Citation, Search } from '../../wire/model.ts'
import type { ModelRequest } from './types.ts'
import { type Loose, objectsIn } from './wire.ts'

export function searchTool({ options = {} }: ModelRequest): WebSearchTool[] {
	const search = searchOf(options)
	if (!search) return []
	const { allowed_domains, user_location } = search
	return [
		{
			type: 'web_search',
			...(allowed_domains && { filters: { allowed_domains } }),
			...(user_location && { user_location: { type: 'approximate', ...user_location } }),
		},
	]
}

/** Of all calls that run at the provider, of which search is the only one: a page that it opens counts, too. */
export function searchBound({
	options = {},
}: ModelRequest): Pick<ResponseCreateParamsStreaming, 'max_tool_calls'> {
	const search = searchOf(options)
	return search ? { max_tool_calls: searchesAtMost('responses', search) } : {}
}

export function searchOptions({
	options = {},
}: ModelRequest): Pick<ChatCompletionCreateParamsStreaming, 'web_search_options'> {
	const search = searchOf(options)
	if (!search) return {}
	const { user_location: approximate } = search
	return {
		web_search_options: approximate ? { user_location: { type: 'approximate', approximate } } : {},
	}
}

/** As it is sent back: reasoning beside it is accepted only with it. */
export function keptSearch({
	id,
	status,
	action,
}: Loose<ResponseFunctionWebSearch>): ResponseFunctionWebSearch {
	return {
		type: 'web_search_call',
		id: String(id),
		status: String(status) as ResponseFunctionWebSearch['status'],
		action: keptAction(action),
	}
}

function keptAction(action: Loose<ResponseFunctionWebSearch>['action']): ResponseFunctionWebSearch['action'] {
	if (action?.type === 'open_page') return { type: action.type, url: action.url ?? null }
	if (action?.type === 'find_in_page')
		return { type: action.type, url: String(action.url), pattern: String(action.pattern) }
	const { query, queries, sources } = (action ?? {}) as Loose<ResponseFunctionWebSearch.Search>
	return {
		type: 'search',
		...(typeof query === 'string' && { query }),
		...(Array.isArray(queries) && { queries: textsIn(queries) }),
		...(Array.isArray(sources) && {
			sources: objectsIn(sources).map(({ url }) => ({ type: 'url', url: String(url) })),
		}),
	}
}

const textsIn = (list: unknown[]) => list.filter((one) => typeof one === 'string')

export function searchIn({ status, action }: Loose<ResponseFunctionWebSearch>): Search {
	const failed = status === 'failed' && { error: 'failed' }
	if (action?.type === 'open_page')
		return { action: action.type, ...(typeof action.url === 'string' && { url: action.url }), ...failed }
	if (action?.type === 'find_in_page')
		return { action: action.type, url: String(action.url), query: String(action.pattern), ...failed }
	const { query, queries, sources } = (action ?? {}) as Loose<ResponseFunctionWebSearch.Search>
	const texts = Array.isArray(queries) ? textsIn(queries) : []
	const asked = texts.length > 0 ? texts.join(', ') : query
	return {
		action: 'search',
		...(typeof asked === 'string' && { query: asked }),
		...(Array.isArray(sources) && { found: objectsIn(sources).map(({ url }) => String(url)) }),
		...failed,
	}
}

/** Pages that it opens cost nothing. */
export const paid = (searches: readonly Search[]) =>
	searches.filter(({ action, error }) => action === 'search' && error === undefined).length

type Annotation = Loose<ResponseOutputText>['annotations']

/** `before`: characters of the answer before the text that they are of. */
export const citationsOf = (annotations: Annotation, before: number): Citation[] =>
	objectsIn(annotations).flatMap((one) => (one.type === 'url_citation' ? citation(one, before) : []))

export const chatCitations = (
	annotations: Loose<ChatCompletionMessage.Annotation>[] | null | undefined,
): Citation[] =>
	objectsIn(annotations).flatMap(({ type, url_citation }) =>
		type === 'url_citation' && url_citation ? citation(url_citation, 0) : [],
	)

function citation(
	{ url, title, start_index, end_index }: Loose<Omit<ResponseOutputText.URLCitation, 'type'>>,
	before: number,
): Citation[] {
	const placed = [start_index, end_index].every((at) => Number.isSafeInteger(at) && (at as number) >= 0)
	return [
		{
			type: 'url_citation',
			url: String(url),
			title: title ?? null,
			...(placed && {
				start_index: before + (start_index as number),
				end_index: before + (end_index as number),
			}),
		},
	]
}
