import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isTerminal, modelText, type Run, type RunEvent } from '../../owner/client/index.ts'
import { client } from './client.ts'

export interface RunStream {
	busy: boolean
	/** Known with the first event. */
	run: string | undefined
	/** What the model says, call by call. */
	text: string
	/** The newest thing it did. */
	doing: string
	/** The whole run, once it ended or waits. */
	ended: Run | undefined
	error: unknown
	start(inputs: Record<string, unknown>): Promise<void>
	cancel(): Promise<void>
}

const nothing = { busy: false, run: undefined, text: '', doing: '', ended: undefined, error: undefined }

/** One run of a deployment as it happens. Leaving the page stops the watching, and not the run. */
export function useRunStream(url: string): RunStream {
	const state = useSignal<Omit<RunStream, 'start' | 'cancel'>>(nothing)
	const watched = useRef<AbortController>(undefined)
	useEffect(() => () => watched.current?.abort(), [])

	async function start(inputs: Record<string, unknown>) {
		watched.current?.abort()
		const abort = new AbortController()
		watched.current = abort
		const set = (change: Partial<RunStream>) => {
			if (watched.current === abort) state.value = { ...state.peek(), ...change }
		}
		state.value = { ...nothing, busy: true, doing: 'Starting …' }
		const said = modelText()
		const calls: number[] = []
		try {
			for await (const event of client.runs.stream(url, inputs, { signal: abort.signal })) {
				const call = Number(event.data.call)
				if (event.type === 'model.started' && !calls.includes(call)) calls.push(call)
				said.add(event)
				set({
					run: event.run,
					doing: doingOf(event) ?? state.peek().doing,
					text: calls.map(said.of).filter(Boolean).join('\n\n'),
				})
				if (event.type === 'run.waiting' || isTerminal(event)) break
			}
			const { run } = state.peek()
			if (run) set({ ended: await client.runs.get(url, run), doing: '' })
		} catch (error) {
			if (!abort.signal.aborted) set({ error })
		} finally {
			set({ busy: false })
		}
	}
	return {
		...state.value,
		start,
		async cancel() {
			const { run } = state.peek()
			if (run) await client.runs.cancel(url, run)
		},
	}
}

/** Undefined: nothing that a reader would miss. */
function doingOf({ type, data }: RunEvent): string | undefined {
	if (type === 'run.started') return 'Running …'
	if (type === 'model.started') return `Asking ${String(data.model)} …`
	if (type === 'model.retrying')
		return data.next
			? 'The model did not answer; asking another …'
			: 'The model did not answer; asking again …'
	if (type === 'tool.started') return `Calling ${String(data.name)} …`
	if (type === 'http.started') return `Asking ${URL.parse(String(data.url))?.host ?? 'an address'} …`
	if (type === 'approval.requested') return 'Waiting for a decision'
	return undefined
}
