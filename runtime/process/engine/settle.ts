/**
 * How an effect is written down and answered. Live or replayed, an answer takes the same way: it is an entry of the
 * journal, and the guest is given the entries in their order, each once the guest has asked for it.
 */
import type { EventType } from '../../wire/journal.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import { isFailedTool } from '../../wire/usage.ts'
import { failingAfter } from './failing.ts'
import { standInOf } from './file-content.ts'
import { isLive, type Run } from './run.ts'

/** First entry of an effect that takes time. */
export function open(run: Run, effect: Effect, type: EventType, data: Record<string, unknown>): void {
	const attempt = effect.attempt > 1 ? { attempt: effect.attempt } : undefined
	effect.opening = run.recorder.append({
		type,
		effect: effect.n,
		digest: effect.digest,
		data: { call: effect.n, ...attempt, ...data },
	})
}

/** Since its first entry: to be spread into the data of an event. */
export function durationOf(run: Run, { opening }: Effect): { duration_ms: number } {
	const now = run.at()
	return { duration_ms: Math.max(0, now - (opening?.at ?? now)) }
}

export interface EffectResult {
	type: EventType
	ok: boolean
	/** JSON text for the guest. */
	result: string
	data: Record<string, unknown>
}

/** Answers an effect. What comes after the end of the run is nobody's. */
export function settle(run: Run, effect: Effect, { type, ok, result, data }: EffectResult): void {
	if (run.over) return
	close(run, effect)
	countFailed(run, type, data)
	const digest = effect.opening ? undefined : effect.digest
	effect.closing = run.recorder.append({ type, effect: effect.n, digest, ok, result, data })
	run.closings.push(effect)
	pump(run)
}

/** The one entry of an effect that gets no answer. */
export function note(run: Run, effect: Effect, type: EventType, data: Record<string, unknown>): void {
	close(run, effect)
	countFailed(run, type, data)
	effect.opening = run.recorder.append({ type, effect: effect.n, digest: effect.digest, data })
}

/** An entry that belongs to no effect. */
export function tell(run: Run, type: EventType, data: Record<string, unknown>): void {
	countFailed(run, type, data)
	run.recorder.append({ type, data })
}

function countFailed(run: Run, type: EventType, data: Record<string, unknown>): void {
	if (type !== 'tool.completed') return
	if (isFailedTool({ type, data })) run.usage.failed_tool_calls++
	run.failing = failingAfter(run.failing, data)
}

function close(run: Run, effect: Effect): void {
	run.running.delete(effect)
	run.activeAt = run.services.now()
	effect.state = 'closed'
	effect.args = ''
	effect.stack = undefined
}

/** Gives the guest what it is due, and begins what waited for the replay to catch up. */
export function pump(run: Run): void {
	const { guest, closings } = run
	if (!guest.sandbox) return
	while (guest.delivered < closings.length && !run.over) {
		const next = closings[guest.delivered] as Effect
		if (next.n > guest.issued) return
		const standIn = next.content === undefined ? standInOf(next) : undefined
		if (standIn) return void run.fetch(next, standIn)
		guest.delivered++
		const { ok, result, at } = next.closing as { ok: boolean; result: string; at: number }
		const content = next.content ?? result
		next.content = undefined
		guest.sandbox.deliver(next.n, ok, content, at)
	}
	if (guest.held.length === 0 || !isLive(run)) return
	const due = guest.held
	guest.held = []
	for (const effect of due) {
		if (run.over) return
		if (isLive(run)) run.start(effect)
		else guest.held.push(effect)
	}
}
