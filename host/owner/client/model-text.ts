import { ModelDelta, type RunEvent } from '../../api/runs.ts'

/** The model's text as it grows, put together from a run's events; what a lost attempt had said is dropped. */
export function modelText() {
	const calls = new Map<number, { attempt: number; text: string }>()
	return {
		add({ type, data }: RunEvent): void {
			const call = Number(data.call)
			const before = calls.get(call) ?? { attempt: 1, text: '' }
			if (type === 'model.retrying' || type === 'model.started') {
				const attempt = type === 'model.retrying' ? Number(data.attempt) + 1 : Number(data.attempt ?? 1)
				if (attempt > before.attempt) calls.set(call, { attempt, text: '' })
			} else if (type === 'model.delta') {
				const { attempt, text } = ModelDelta.parse(data)
				if (attempt >= before.attempt)
					calls.set(call, { attempt, text: (attempt > before.attempt ? '' : before.text) + text })
			}
		},
		/** Of one call, as events number them. */
		of: (call: number): string => calls.get(call)?.text ?? '',
	}
}
