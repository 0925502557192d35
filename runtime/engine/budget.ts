/**
 * Budgets of a month (contract 4, 8). The host keeps them; here a call of a run that has one is announced at the most it
 * can use, held to that, and settled with what it used. A run without a budget never asks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BudgetWarning } from '../protocol-budgets.ts'
import { type ModelRequest, type ModelUsage, priceOf } from '../providers/index.ts'
import type { Effect } from './effect.ts'
import { withOutputBound } from './effects/model-args.ts'
import { RunAbandoned, RunFailure } from './failure.ts'
import { untilDone } from './retry.ts'
import type { Run } from './run.ts'

/** Of a call that names no bound of its own. Every model in use takes such a bound. */
const OUTPUT_DEFAULT = 16_000
/** An answer that cannot be so long is not worth asking for, unless the agent bounds it lower itself. */
const OUTPUT_LEAST = 1_000
/** What providers add to a request: its frame, and instructions for tools. */
const FRAME_TOKENS = 64
const TOOLS_TOKENS = 512
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
	const input_tokens = inputAtMost(request)
	const most = outputBound(request)
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
		if (answer.status === 'granted') return withOutputBound(request, answer.output_tokens)
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

/** Null: the call was refused or stopped, and what it used is not known. Also of a run that is over. */
export async function settleBudget(
	run: Run,
	effect: Effect,
	used: { usage: ModelUsage; usd: number } | null,
): Promise<void> {
	if (!run.begin.budget) return
	const tokens = used ? used.usage.input_tokens + used.usage.output_tokens : 0
	const { run: id, epoch } = run.begin
	const settled = { run: id, epoch, effect: effect.n, tokens, usd: used?.usd ?? 0 }
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

/** No model makes more tokens of a text than it has bytes. */
function inputAtMost({ system, messages, tools, output }: ModelRequest): number {
	const bytes = Buffer.byteLength(JSON.stringify([system, messages, tools, output]))
	return bytes + FRAME_TOKENS + (tools.length > 0 ? TOOLS_TOKENS : 0)
}

function outputBound({ parameters }: ModelRequest): number {
	const bounds = ['max_tokens', 'max_output_tokens', 'max_completion_tokens']
		.map((name) => parameters[name])
		.filter((value): value is number => Number.isSafeInteger(value) && (value as number) > 0)
	return bounds.length > 0 ? Math.max(...bounds) : OUTPUT_DEFAULT
}

const million = 1_000_000

/** In US dollars: of the input, and of one token of output. Null: the model's price is not known. */
function costAtMost(
	{ provider, model }: ModelRequest,
	input_tokens: number,
): { input: number; output_token: number } | null {
	const usage = { input_tokens, cached_input_tokens: 0, output_tokens: 0 }
	const plain = priceOf(provider, model, usage)
	const written = priceOf(provider, model, { ...usage, cache_write_input_tokens: input_tokens })
	const withOutput = priceOf(provider, model, { ...usage, output_tokens: million })
	if (plain === null || written === null || withOutput === null) return null
	return { input: Math.max(plain, written), output_token: (withOutput - plain) / million }
}
