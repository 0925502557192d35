import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ModelCall } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { renewed } from '../../data/line.ts'

export interface Requests {
	/** Undefined: not read yet. Null: not known any more. */
	of(call: number): ModelCall | null | undefined
	error: unknown
	/** Reads them where the call is not among them. */
	want(call: number): void
}

/** What the model was sent: read from a replay once somebody looks, since nothing more is stored for it. */
export function useRequests(url: string, run: string): Requests {
	const state = useSignal<{ run: string; calls: Map<number, ModelCall | null>; error: unknown }>({
		run,
		calls: new Map(),
		error: undefined,
	})
	const wanted = useSignal<number | null>(null)
	const { calls, error } = state.value.run === run ? state.value : { calls: new Map(), error: undefined }

	useEffect(() => {
		const call = wanted.value
		if (call === null || calls.has(call)) return
		const stop = new AbortController()
		const read = async () => {
			const found = new Map<number, ModelCall | null>()
			try {
				for await (const { type, data } of client.runs.events(url, run, { full: true, signal: stop.signal }))
					if (type === 'model.started' && typeof data.call === 'number')
						found.set(data.call, ModelCall.safeParse(data.request).data ?? null)
				state.value = { run, calls: found.has(call) ? found : found.set(call, null), error: undefined }
			} catch (reason) {
				if (!stop.signal.aborted) state.value = { run, calls, error: reason }
			}
		}
		void read()
		return () => stop.abort()
	}, [url, run, wanted.value, renewed.value])

	return {
		of: (call) => calls.get(call),
		error,
		want(call) {
			wanted.value = call
		},
	}
}
