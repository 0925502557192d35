import type { Effect } from '../../wire/recorded-effect.ts'
import type { Run } from './run.ts'

/** Text of a model call, for whoever reads the stream. It is recorded in pieces as they leave, not as they come. */
export function addDelta(run: Run, effect: Effect, text: string): void {
	if (run.watched && !run.over) run.deltas.set(effect, (run.deltas.get(effect) ?? '') + text)
}

/** Of one call, or of all. */
export function flushDeltas(run: Run, effect?: Effect): void {
	if (run.deltas.size === 0) return
	for (const [of, text] of effect ? [[effect, run.deltas.get(effect)] as const] : run.deltas) {
		if (!text) continue
		run.recorder.append({ type: 'model.delta', data: { call: of.n, attempt: of.attempt, text } })
		run.deltas.delete(of)
	}
}
