import type { Citation, Search } from '../../wire/model.ts'

const CITATIONS_MAX = 200
const CITED_MAX_CHARS = 1_000
const TITLE_MAX_CHARS = 300
const URL_MAX_CHARS = 2_000
const SEARCHES_MAX = 100
const FOUND_MAX = 100
const QUERY_MAX_CHARS = 1_000
const ERROR_MAX_CHARS = 100

/** As much as is kept of what an answer cites; a server may say anything, and without end. `text`: of the answer. */
export function keptCitations(citations: readonly Citation[], text: string): Citation[] {
	return citations
		.filter(({ type, url }) => type === 'file_citation' || isPage(url))
		.slice(0, CITATIONS_MAX)
		.map(({ type, url, file, title, cited_text, ...at }) => ({
			type,
			...(url !== undefined && { url }),
			...(file !== undefined && { file }),
			title: typeof title === 'string' ? cut(title, TITLE_MAX_CHARS) : null,
			...(cited_text !== undefined && { cited_text: cut(cited_text, CITED_MAX_CHARS) }),
			...span(at, 'start_index', 'end_index', text.length),
			...span(at, 'start_page_number', 'end_page_number'),
			...span(at, 'start_char_index', 'end_char_index'),
		}))
}

/** The same of the searches that led to it. */
export const keptSearches = (searches: readonly Search[]): Search[] =>
	searches.slice(0, SEARCHES_MAX).map(({ action, query, url, found, error }) => ({
		action,
		...(query !== undefined && { query: cut(query, QUERY_MAX_CHARS) }),
		...(isPage(url) && { url }),
		...(found && { found: found.filter(isPage).slice(0, FOUND_MAX) }),
		...(error !== undefined && { error: cut(error, ERROR_MAX_CHARS) }),
	}))

const isPage = (url: unknown): url is string =>
	typeof url === 'string' &&
	url.length <= URL_MAX_CHARS &&
	url.isWellFormed() &&
	/^https?:\/\/\S+$/i.test(url) &&
	URL.canParse(url)

const cut = (text: string, most: number) => text.slice(0, most).toWellFormed()

/** Both ends, or nothing of them. */
function span<Start extends keyof Citation, End extends keyof Citation>(
	at: Partial<Citation>,
	start: Start,
	end: End,
	most = Number.MAX_SAFE_INTEGER,
): Pick<Citation, Start | End> | undefined {
	const [from, to] = [at[start] as unknown, at[end] as unknown]
	if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return undefined
	if ((from as number) < 0 || (to as number) < (from as number) || (to as number) > most) return undefined
	return { [start]: from, [end]: to } as Pick<Citation, Start | End>
}
