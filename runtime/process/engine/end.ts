import { loggedError } from '../../lib/log-error.ts'
import { WITHOUT_REPLY } from '../../wire/effects.ts'
import { describeInFlight, withInFlight } from '../../wire/in-flight.ts'
import type { RunErrorCode, RunOutcome, TerminalEventType } from '../../wire/journal.ts'
import type { Citation } from '../../wire/model.ts'
import { addModelUsage } from '../../wire/usage.ts'
import { flushDeltas } from './deltas.ts'
import type { RunAbandoned } from './failure.ts'
import type { NewEntry } from './recorder.ts'
import type { Run } from './run.ts'
import { spendOpen } from './share.ts'
import { EVENT_VALUE_MAX_CHARS, shownList } from './shown.ts'

const MESSAGE_MAX_CHARS = 4_000

const terminal: Record<RunOutcome['status'], TerminalEventType> = {
	succeeded: 'run.completed',
	failed: 'run.failed',
	cancelled: 'run.cancelled',
}

/** `stack`: of the program's own error. */
export function fail(run: Run, code: RunErrorCode, message: string, stack?: string): void {
	finish(run, { status: 'failed', error: { code, message } }, stack)
}

/** Ends a run, once: stops what it does, and writes its end as soon as the host has its beginning. */
export function finish(run: Run, outcome: RunOutcome, stack?: string): void {
	writeHeld(run)
	if (run.over) return
	run.inFlight = [...run.running].flatMap(describeInFlight)
	run.outcome = scrubbed(run, outcome)
	run.stack = stack
	stop(run, outcome.status === 'succeeded' ? 'the run is over' : outcome.error.message)
	if (run.goneAt > 0) void writeEnd(run)
}

/**
 * What the program wrote before its end and nobody has written down yet, as the run was not let go or a replay had not
 * caught up. Effects with an answer stay undone.
 */
function writeHeld(run: Run): void {
	const { held } = run.guest
	run.guest.held = []
	for (const effect of held) if (!run.over && WITHOUT_REPLY.has(effect.method)) run.start(effect)
}

/** Ends a run without a word: it belongs to another host, or the host never had it. */
export function abandon(run: Run, error: RunAbandoned): void {
	run.outcome = undefined
	stop(run, error.message)
	run.finished.resolve()
}

/** Called by `finish`, or by the go that came after it. */
export async function writeEnd(run: Run): Promise<void> {
	const outcome = run.outcome as RunOutcome
	flushDeltas(run)
	spendOpen(run)
	// As its budgets count them.
	for (const used of run.calls.values()) addModelUsage(run.usage, used())
	const last = { type: terminal[outcome.status], data: terminalData(run, outcome) }
	try {
		await run.recorder.end([...notKept(run.guest.notKept), last], outcome, run.usage)
	} catch (error) {
		run.services.host.notify('log', {
			level: 'warn',
			message: 'the end of a run could not be written',
			data: { run: run.begin.run, error: loggedError(error) },
		})
	}
	run.finished.resolve()
}

export function stop(run: Run, reason: string): void {
	run.over = true
	run.guest.sandbox?.stop()
	if (run.running.size > 0) run.abort.abort(new Error(reason))
}

function scrubbed(run: Run, outcome: RunOutcome): RunOutcome {
	if (outcome.status === 'succeeded') {
		const { citations } = outcome
		return {
			...{ ...outcome, output: wellFormed(scrub(run, outcome.output)) },
			...(citations !== undefined && { citations: scrub(run, citations) }),
		}
	}
	const message = withInFlight(outcome.error.message, 'In flight and stopped', run.inFlight)
	const error = { ...outcome.error, message: scrub(run, message).slice(0, MESSAGE_MAX_CHARS).toWellFormed() }
	return { ...outcome, error } as RunOutcome
}

/**
 * JSON keeps half of a surrogate pair as an escape, which strict readers refuse: a program has cut an emoji in two. One
 * that is no half in the text, but a backslash before it, is only looked at.
 */
const wellFormed = (json: string): string =>
	/\\ud[89a-f]/.test(json)
		? JSON.stringify(
				JSON.parse(json, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value)),
			)
		: json

/** Providers and connectors have taken the keys out of what they return; this is the last look at what leaves. */
export function scrub(run: Run, text: string): string {
	let clean = text
	for (const scrubber of run.scrubbers) clean = scrubber.text(clean)
	return clean
}

/** The last line of a log that became too long. */
function notKept(lines: number): NewEntry[] {
	if (lines === 0) return []
	const message = `${lines} more ${lines === 1 ? 'line was' : 'lines were'} not kept.`
	return [{ type: 'log', data: { level: 'warn', message, not_kept: lines } }]
}

/** For the owner alone: the host takes `stack` out of what a run key reads. */
export function shownStack(run: Run, stack: string | undefined): { stack?: string } {
	return stack ? { stack: scrub(run, run.bundle.stacks(stack)) } : {}
}

function terminalData(run: Run, outcome: RunOutcome): Record<string, unknown> {
	const data: Record<string, unknown> = { usage: run.usage, ...shownStack(run, run.stack) }
	if (outcome.status !== 'succeeded') data.error = outcome.error
	else if (outcome.output.length <= EVENT_VALUE_MAX_CHARS) data.output = JSON.parse(outcome.output)
	else data.truncated = true
	if (outcome.status === 'succeeded' && outcome.citations !== undefined) {
		const all = JSON.parse(outcome.citations) as Citation[]
		const shown = shownList(all)
		data.citations = shown
		if (shown.length < all.length) data.truncated = true
	}
	if (run.inFlight.length > 0) data.in_flight = run.inFlight
	return data
}
