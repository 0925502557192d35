import { useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../../owner/client/index.ts'
import { renewed } from './line.ts'

export interface Loaded<T> {
	/** What is shown: the newest answer, or that of the last visit while a new one is on its way. */
	data: T | undefined
	/** Of the newest try. */
	error: unknown
	reload(): Promise<void>
	/** After a change whose answer is the new state. */
	set(data: T): void
}

const keptMax = 50
/** By key, so that a page that was seen before shows at once; the oldest goes first. */
const kept = new Map<string, unknown>()

/**
 * Reads what a page shows: at once, when `key` changes, every `everyMs` while the page is seen, and when the host is back
 * after it was lost. The answer to an older question never replaces that to a newer one.
 */
export function useLoad<T>(
	key: string,
	read: (signal: AbortSignal) => Promise<T>,
	everyMs?: number,
): Loaded<T> {
	const state = useSignal<{ key: string; data: T | undefined; error: unknown }>({
		key,
		data: kept.get(key) as T | undefined,
		error: undefined,
	})
	const asked = useRef<{ turn: string; abort: AbortController }>(undefined)
	const latest = useRef(read)
	latest.current = read
	const turn = `${key} ${renewed.value}`

	const set = useCallback(
		(data: T) => {
			keep(key, data)
			state.value = { key, data, error: undefined }
		},
		[key, state],
	)
	const reload = useCallback(async () => {
		asked.current?.abort.abort()
		const abort = new AbortController()
		asked.current = { turn, abort }
		try {
			const data = await latest.current(abort.signal)
			if (!abort.signal.aborted) set(data)
		} catch (error) {
			if (abort.signal.aborted) return
			const gone = error instanceof ApiError && error.status === 404
			if (gone) kept.delete(key)
			const data = state.peek().key === key && !gone ? state.peek().data : undefined
			state.value = { key, data, error }
		}
	}, [key, turn, set, state])

	useEffect(() => {
		if (state.peek().key !== key)
			state.value = { key, data: kept.get(key) as T | undefined, error: undefined }
		void reload()
		return () => asked.current?.abort.abort()
	}, [key, reload, state])
	useEffect(() => {
		if (everyMs === undefined) return
		const timer = setInterval(() => {
			if (!document.hidden) void reload()
		}, everyMs)
		return () => clearInterval(timer)
	}, [everyMs, reload])

	const { data, error } = state.value.key === key ? state.value : { data: undefined, error: undefined }
	return { data, error, reload, set }
}

/** After something was erased: no page shows it from memory. */
export function forgetAll(): void {
	kept.clear()
}

function keep(key: string, data: unknown): void {
	kept.delete(key)
	kept.set(key, data)
	const oldest = kept.keys().next().value
	if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest)
}
