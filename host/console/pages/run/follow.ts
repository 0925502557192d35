import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isTerminal } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { renewed } from '../../data/line.ts'
import { addEvent, emptyTimeline, type Timeline } from './timeline/index.ts'

/** Between two drawings, however fast the events come. */
const drawMs = 60

export interface Followed {
	timeline: Timeline
	/** Why the events do not go on. */
	error: unknown
	/** Grows with what is drawn. */
	drawn: number
	retry(): void
}

/** The run's events from the first to the last, over broken lines; `onChange` when its state may be another one. */
export function useTimeline(url: string, run: string, onChange: () => void): Followed {
	const kept = useRef({ run, timeline: emptyTimeline() })
	if (kept.current.run !== run) kept.current = { run, timeline: emptyTimeline() }
	const { timeline } = kept.current
	const drawn = useSignal(0)
	const error = useSignal<unknown>(undefined)
	const again = useSignal(0)
	const changed = useRef(onChange)
	changed.current = onChange

	useEffect(() => {
		const stop = new AbortController()
		let timer: ReturnType<typeof setTimeout> | undefined
		let other = false
		const draw = (type: string) => {
			other ||= type.startsWith('run.') || type.startsWith('approval.')
			timer ??= setTimeout(() => {
				timer = undefined
				drawn.value++
				if (other) changed.current()
				other = false
			}, drawMs)
		}
		const follow = async () => {
			if (timeline.end) return
			error.value = undefined
			try {
				const after = timeline.seq === 0 ? undefined : timeline.seq
				for await (const event of client.runs.follow(url, run, {
					signal: stop.signal,
					...(after !== undefined && { after }),
				})) {
					addEvent(timeline, event)
					draw(event.type)
					if (isTerminal(event)) return
				}
			} catch (reason) {
				if (!stop.signal.aborted) error.value = reason
			}
		}
		void follow()
		return () => {
			stop.abort()
			clearTimeout(timer)
		}
	}, [url, run, timeline, renewed.value, again.value])

	return {
		timeline,
		error: error.value,
		drawn: drawn.value,
		retry() {
			again.value++
		},
	}
}
