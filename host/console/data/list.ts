import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useLoad } from './load.ts'

interface PageOf<T> {
	data: T[]
	next_cursor: string | null
}

interface Held<T> extends PageOf<T> {
	pages: number
}

export interface Listed<T> {
	rows: T[] | undefined
	error: unknown
	/** Whether there are rows after these. */
	more: boolean
	busy: boolean
	/** It is too long to be read again and again: it stands as it is until it is reloaded. */
	still: boolean
	next(): Promise<void>
	reload(): Promise<void>
}

/** What is read again at most, at each turn. */
const pagesMax = 8

/**
 * A list that is read page by page: the first at once, the next when asked for. All that is shown is read again, so that
 * no row stays as it was, and none is lost where new ones come before it. Past `pagesMax` pages it stands still.
 */
export function useList<T extends { id: string }>(
	key: string,
	read: (cursor: string | undefined) => Promise<PageOf<T>>,
	everyMs?: number,
): Listed<T> {
	const held = useRef<Held<T>>(undefined)
	const pages = useSignal(1)
	const still = pages.value > pagesMax
	const load = useLoad<Held<T>>(
		key,
		async () => {
			const shown = held.current
			return shown && shown.pages > pagesMax ? shown : readAgain(read, () => held.current)
		},
		everyMs === undefined || still ? undefined : everyMs * pages.value,
	)
	held.current = load.data
	pages.value = load.data?.pages ?? 1
	const state = useSignal<{ key: string; busy: boolean; error: unknown }>({
		key,
		busy: false,
		error: undefined,
	})
	const { busy, error } = state.value.key === key ? state.value : { busy: false, error: undefined }
	const cursor = load.data?.next_cursor ?? null
	return {
		rows: load.data?.data,
		error: load.error ?? error,
		more: cursor !== null,
		busy,
		still,
		async next() {
			if (cursor === null || busy) return
			state.value = { key, busy: true, error: undefined }
			try {
				const page = await read(cursor)
				const before = held.current
				if (before && state.value.key === key) load.set(after(before, page))
				state.value = { key, busy: false, error: undefined }
			} catch (reason) {
				state.value = { key, busy: false, error: reason }
			}
		},
		async reload() {
			if (still) held.current = undefined
			await load.reload()
		},
	}
}

function after<T extends { id: string }>({ data, pages }: Held<T>, page: PageOf<T>): Held<T> {
	const known = new Set(data.map(({ id }) => id))
	return {
		data: [...data, ...page.data.filter(({ id }) => !known.has(id))],
		next_cursor: page.next_cursor,
		pages: pages + 1,
	}
}

/** As many rows as are shown, and as many more as came before them. `shown` may grow meanwhile. */
export async function readAgain<T extends { id: string }>(
	read: (cursor: string | undefined) => Promise<PageOf<T>>,
	shown: () => Held<T> | undefined,
): Promise<Held<T>> {
	let found: Held<T> = { ...(await read(undefined)), pages: 1 }
	for (;;) {
		const { data: rows = [], pages = 1 } = shown() ?? {}
		const added = Math.max(
			0,
			found.data.findIndex(({ id }) => id === rows[0]?.id),
		)
		const enough = pages === 1 || found.data.length >= rows.length + added || found.pages > pagesMax
		if (enough || found.next_cursor === null) return found
		found = after(found, await read(found.next_cursor))
	}
}
