/** What the runtime holds a run to (contract 5, 8). The prelude has no part in it: an `agent.ts` may replace all of it. */
import { priceOf } from '../providers/index.ts'
import { RunFailure } from './failure.ts'
import type { Run } from './run.ts'

export const EFFECTS_MAX = 10_000
const TOOL_CALLS_A_STEP = 32
export const MODEL_CALLS_AT_ONCE = 8
export const TOOL_CALLS_AT_ONCE = 16
/** Below this many tokens left, the call itself is told how many it may make; every model in use takes such a bound. */
const CLIP_BELOW_TOKENS = 16_000

const noTokens = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }

/** A step is one model call; one that a crash makes again is the same step. */
export function takeStep(run: Run): void {
	const { steps } = run.bundle.agent.limits
	if (run.steps >= steps) {
		throw new RunFailure('step_limit_reached', `The run has made its ${steps} model calls (limits.steps).`)
	}
	run.steps++
}

export function takeToolCall(run: Run): void {
	const max = TOOL_CALLS_A_STEP * run.bundle.agent.limits.steps
	if (run.toolCalls >= max) {
		throw new RunFailure(
			'step_limit_reached',
			`The run has made ${max} tool calls, ${TOOL_CALLS_A_STEP} for each of limits.steps.`,
		)
	}
	run.toolCalls++
}

/** Refuses a call when tokens or money are used up. Returns the most tokens it may make, where that must be said. */
export function outputAllowance(run: Run, model: string): number | undefined {
	const { tokens, usd } = run.bundle.agent.limits
	const left = tokens - run.usage.input_tokens - run.usage.output_tokens
	if (left <= 0) {
		throw new RunFailure('token_limit_reached', `The run has used its ${tokens} tokens (limits.tokens).`)
	}
	const affordable = usd === undefined ? left : Math.min(left, affordableTokens(run, model, usd))
	return affordable < CLIP_BELOW_TOKENS ? affordable : undefined
}

function affordableTokens(run: Run, model: string, usd: number): number {
	const { provider } = run.bundle.agent.model
	const price =
		provider === 'platform' ? null : priceOf(provider, model, { ...noTokens, output_tokens: 1_000_000 })
	if (price === null) {
		throw new RunFailure(
			'cost_limit_reached',
			`The price of ${model} is not known, so limits.usd cannot be held; no call was made.`,
		)
	}
	const left = usd - run.usage.usd
	if (left <= 0)
		throw new RunFailure('cost_limit_reached', `The run has cost its ${usd} US dollars (limits.usd).`)
	return price === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((left / price) * 1_000_000))
}
