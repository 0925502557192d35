import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ApiError } from '../../owner/client/index.ts'

export interface Action<A extends unknown[]> {
	run(...args: A): Promise<boolean>
	busy: boolean
	error: unknown
	/** By JSON pointer, where the host named a field. */
	faults: Record<string, string>
	clear(): void
}

/** A change that a button makes: once at a time, with what went wrong kept beside it. True where it went well. */
export function useAction<A extends unknown[]>(change: (...args: A) => Promise<unknown>): Action<A> {
	const state = useSignal<{ busy: boolean; error: unknown }>({ busy: false, error: undefined })
	const busy = useRef(false)
	return {
		...state.value,
		faults: faultsOf(state.value.error),
		clear() {
			state.value = { busy: false, error: undefined }
		},
		async run(...args) {
			if (busy.current) return false
			busy.current = true
			state.value = { busy: true, error: undefined }
			try {
				await change(...args)
				state.value = { busy: false, error: undefined }
				return true
			} catch (error) {
				state.value = { busy: false, error }
				return false
			} finally {
				busy.current = false
			}
		},
	}
}

export function faultsOf(error: unknown): Record<string, string> {
	const errors = error instanceof ApiError ? error.problem.errors : undefined
	if (!Array.isArray(errors)) return {}
	return Object.fromEntries(errors.map(({ path, message }) => [path, message]))
}
