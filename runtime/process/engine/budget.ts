/**
 * Budgets of a month (spec budget.never-exceeded). The host keeps them; here a call of a run that has one is announced
 * at the most it can use, held to that, and settled with what it used. A run without a budget never asks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { untilDone } from '../../lib/retry.ts'
import type { ModelUsage } from '../../prices/index.ts'
import type { Allowance, Share, Spent } from '../../wire/agent-calls.ts'
import type { BudgetWarning } from '../../wire/budgets.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import type { ModelRequest } from '../providers/index.ts'
import { costAtMost, inputAtMost, OUTPUT_DEFAULT } from './estimate.ts'
import { RunAbandoned, RunFailure } from './failure.ts'
import { maxOutput, withMaxOutput } from './max-output.ts'
import type { Run } from './run.ts'

/** An answer that cannot be so long is not worth asking for, unless the agent bounds it lower itself. */
const OUTPUT_LEAST = 1_000
/** While calls under way hold what this one needs. */
const WAIT_FIRST_MS = 50
const WAIT_MAX_MS = 1_000

/** Returns the request, bounded to what it may use; undefined where the run ended while it waited. */
export async function reserve(
	run: Run,
	effect: Effect,
	request: ModelRequest,
): Promise<ModelRequest | undefined> {
	if (!run.begin.budget) return request
	const input_tokens = inputAtMost(effect.args, request)
	const most = maxOutput(request) ?? OUTPUT_DEFAULT
	const ask = {
		run: run.begin.run,
		epoch: run.begin.epoch,
		effect: effect.n,
		input_tokens,
		output_tokens: { least: Math.min(most, OUTPUT_LEAST), most },
		usd: costAtMost(request, input_tokens),
	}
	for (let wait = WAIT_FIRST_MS; !run.over; wait = Math.min(wait * 2, WAIT_MAX_MS)) {
		const answer = await asked(() => run.services.host.call('budget.reserve', ask))
		if (run.over) break
		if (answer.status === 'granted') return withMaxOutput(request, answer.output_tokens)
		if (answer.status === 'reached') {
			tell(run, answer.warnings)
			throw new RunFailure('budget_reached', answer.message)
		}
		await sleep(wait)
	}
	// It may have been granted as the run ended.
	await settleBudget(run, effect, null)
	return undefined
}

/**
 * For a call of another agent: what it is left of the run's own limits, or less. `again`: it was told so before a crash.
 * Undefined: the run ended while it waited.
 */
export async function reserveShare(
	run: Run,
	effect: number,
	allowance: Allowance,
	again: boolean,
): Promise<Allowance | undefined> {
	if (!run.begin.budget) return allowance
	const { run: id, epoch } = run.begin
	const ask = {
		run: id,
		epoch,
		effect,
		tokens: allowance.tokens.left,
		usd: allowance.usd?.left ?? null,
		again,
	}
	for (let wait = WAIT_FIRST_MS; !run.over; wait = Math.min(wait * 2, WAIT_MAX_MS)) {
		const answer = await asked(() => run.services.host.call('budget.share', ask))
		if (run.over) break
		if (answer.status === 'granted') return lowered(allowance, answer, id)
		if (answer.status === 'reached') {
			tell(run, answer.warnings)
			throw new RunFailure('budget_reached', answer.message)
		}
		await sleep(wait)
	}
	await settleSpent(run, effect, { tokens: 0, usd: 0 })
	return undefined
}

function lowered(
	{ tokens, usd }: Allowance,
	granted: { tokens: number; usd: number | null },
	run: string,
): Allowance {
	const lower = (given: Share | undefined, left: number) =>
		given && given.left <= left ? given : { left, run }
	return {
		tokens: lower(tokens, granted.tokens),
		...(granted.usd !== null && { usd: lower(usd, granted.usd) }),
	}
}

/** Null: the call was never made, or its provider failed. Also of a run that is over: then the next one warns. */
export async function settleBudget(
	run: Run,
	effect: Effect,
	used: { usage: ModelUsage; usd: number | null } | null,
): Promise<void> {
	const tokens = used ? used.usage.input_tokens + used.usage.output_tokens : 0
	await settleSpent(run, effect.n, { tokens, usd: used ? used.usd : 0 })
}

/** Once more is nothing. */
export async function settleSpent(run: Run, effect: number, { tokens, usd }: Spent): Promise<void> {
	if (!run.begin.budget) return
	const { run: id, epoch } = run.begin
	const settled = { run: id, epoch, effect, tokens, usd, warn: !run.over }
	const { warnings } = await asked(() => run.services.host.call('budget.settle', settled))
	if (!run.over) tell(run, warnings)
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
	try {
		return await untilDone(ask)
	} catch (cause) {
		throw new RunAbandoned(`the budget cannot be asked: ${(cause as Error).message}`, { cause })
	}
}

function tell(run: Run, warnings: BudgetWarning[]): void {
	for (const warning of warnings) run.recorder.append({ type: 'budget.warning', data: { ...warning } })
}
