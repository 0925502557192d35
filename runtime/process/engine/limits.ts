/**
 * What the runtime holds a run to (spec limit.steps, limit.effects). The guest program has no part in it, because an
 * `agent.ts` may replace all of it.
 */
import { HTTP_CALLS } from '../../../bundles/index.ts'
import { whyFailing } from './failing.ts'
import { RunFailure } from './failure.ts'
import type { Run } from './run.ts'

export const EFFECTS_MAX = 10_000
/** Of a run in the isolate, whatever its wall-clock limit; of its replay, too. */
export const CPU_MS = 10_000
const TOOL_CALLS_A_STEP = 32
export const MODEL_CALLS_AT_ONCE = 8
/** Requests of `ctx.http` among them. */
export const TOOL_CALLS_AT_ONCE = 16
/** Of all responses to `ctx.http` together: they are kept until the run has ended. */
const HTTP_MAX_CHARS = 64 * 1024 * 1024

/** A step is one model call; one that a crash makes again is the same step. */
export function takeStep(run: Run): void {
	const { steps } = run.bundle.agent.limits
	if (run.steps >= steps) {
		const text = `The run has made its ${steps} model calls (limits.steps).`
		throw new RunFailure('step_limit_reached', `${text}${whyFailing(run.failing)}`)
	}
	run.steps++
}

export function takeToolCall(run: Run): void {
	const max = TOOL_CALLS_A_STEP * run.bundle.agent.limits.steps
	if (run.toolCalls >= max) {
		throw new RunFailure(
			'step_limit_reached',
			`The run has made ${max} tool calls, ${TOOL_CALLS_A_STEP} for each of limits.steps.${whyFailing(run.failing)}`,
		)
	}
	run.toolCalls++
}

/** One that a crash makes again is the same request. */
export function takeHttpCall(run: Run): void {
	const max = run.bundle.agent.limits.http_calls ?? HTTP_CALLS
	if (run.httpCalls >= max) {
		const text = `The run has made its ${max} requests with ctx.http (limits.http_calls).`
		throw new RunFailure('http_limit_reached', text)
	}
	run.httpCalls++
}

export function takeResponse(run: Run, result: string): void {
	run.httpChars += result.length
	if (run.httpChars <= HTTP_MAX_CHARS) return
	const text = `The responses to the run's requests with ctx.http are over ${HTTP_MAX_CHARS / 1024 / 1024} MiB together.`
	throw new RunFailure('http_limit_reached', text)
}
