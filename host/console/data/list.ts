import { useSignal } from '@preact/signals'
import { useLoad } from './load.ts'

interface PageOf<T> {
	data: T[]
	next_cursor: string | null
}

export interface Listed<T> {
	rows: T[] | undefined
	error: unknown
	/** Whether there are rows after these. */
	more: boolean
	busy: boolean
	next(): Promise<void>
	reload(): Promise<void>
}

/**
 * A list that is read page by page: the first at once, the next when asked for. What is read again is the first page; the
 * pages after it stay only while the key does.
 */
export function useList<T>(
	key: string,
	read: (cursor: string | undefined) => Promise<PageOf<T>>,
	everyMs?: number,
): Listed<T> {
	const first = useLoad(key, () => read(undefined), everyMs)
	const rest = useSignal<{ key: string; pages: PageOf<T>[]; busy: boolean; error: unknown }>({
		key,
		pages: [],
		busy: false,
		error: undefined,
	})
	const kept = rest.value.key === key ? rest.value : { pages: [], busy: false, error: undefined }
	const pages = first.data ? [first.data, ...kept.pages] : []
	const cursor = pages.at(-1)?.next_cursor ?? null
	return {
		rows: first.data && pages.flatMap(({ data }) => data),
		error: first.error ?? kept.error,
		more: cursor !== null,
		busy: kept.busy,
		async next() {
			if (cursor === null || kept.busy) return
			rest.value = { ...kept, key, busy: true, error: undefined }
			try {
				const page = await read(cursor)
				rest.value = { key, pages: [...kept.pages, page], busy: false, error: undefined }
			} catch (error) {
				rest.value = { ...kept, key, busy: false, error }
			}
		},
		async reload() {
			rest.value = { key, pages: [], busy: false, error: undefined }
			await first.reload()
		},
	}
}
