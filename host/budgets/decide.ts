import type { HostCalls } from '../../runtime/wire/host-calls.ts'
import { type BudgetAccount, micros } from './accounts.ts'

export type Ask = Pick<Parameters<HostCalls['budget.reserve']>[0], 'input_tokens' | 'output_tokens' | 'usd'>

export type BudgetDecision =
	| { status: 'granted'; output_tokens: number; tokens: number; usd_micros: number }
	/** It would fit if calls under way used less than they may. */
	| { status: 'wait' }
	/** `known`: it is known what the call can cost. */
	| { status: 'reached'; account: BudgetAccount; known: boolean; message: string }

/**
 * What a call may make of output tokens so that no budget is exceeded, whatever it and all calls under way turn out to
 * use. Near the end of a budget it is given what is left.
 */
export function decide(accounts: BudgetAccount[], ask: Ask): BudgetDecision {
	const { least, most } = ask.output_tokens
	let free = most
	let possible = most
	for (const account of accounts) {
		if (account.budgets.usd_per_month !== undefined && ask.usd === null) {
			const message = `The price of this model, or of the service_tier asked for, is not known, so the ${nameOf(account)} in US dollars cannot be held. An operator can set the price.`
			return { status: 'reached', account, known: false, message }
		}
		free = Math.min(free, roomIn(account, ask, true))
		const room = roomIn(account, ask, false)
		possible = Math.min(possible, room)
		if (room < least) return { status: 'reached', account, known: true, message: reachedMessage(account) }
	}
	if (free < most && possible >= most) return { status: 'wait' }
	if (free < least) return { status: 'wait' }
	return {
		status: 'granted',
		output_tokens: free,
		tokens: ask.input_tokens + free,
		usd_micros: ask.usd === null ? 0 : micros(ask.usd.input + free * ask.usd.output_token),
	}
}

export type ShareAsk = Pick<Parameters<HostCalls['budget.share']>[0], 'tokens' | 'usd' | 'again'>

export type ShareDecision =
	| { status: 'granted'; tokens: number; usd: number | null; usd_micros: number }
	| Exclude<BudgetDecision, { status: 'granted' }>

/** So much of a budget is left to one call of an agent, whatever runs beside it. */
const shareLeast = 16_000

/** What a call of another agent may use so that no budget is exceeded. */
export function decideShare(
	accounts: BudgetAccount[],
	{ tokens: most, usd: mostUsd, again }: ShareAsk,
): ShareDecision {
	let tokens = most
	let dollars = mostUsd
	for (const account of again ? [] : accounts) {
		const { tokens_per_month, usd_per_month } = account.budgets
		if (tokens_per_month !== undefined) {
			const left = tokens_per_month - account.tokens
			if (left < 1) return { status: 'reached', account, known: true, message: reachedMessage(account) }
			const free = left - account.reserved_tokens
			tokens = Math.min(tokens, Math.max(Math.floor(free / 2), Math.min(free, shareLeast)))
		}
		if (usd_per_month !== undefined) {
			const left = usd_per_month * 1e6 - account.usd_micros
			if (left < 1) return { status: 'reached', account, known: true, message: reachedMessage(account) }
			const half = (left - account.reserved_micros) / 2 / 1e6
			dollars = dollars === null ? half : Math.min(dollars, half)
		}
	}
	if (tokens < 1 || (dollars !== null && dollars <= 0)) return { status: 'wait' }
	return { status: 'granted', tokens, usd: dollars, usd_micros: micros(dollars ?? 0) }
}

/** Output tokens that a budget has room for beside the input; `reserved`: and beside all that is under way. */
function roomIn(account: BudgetAccount, { input_tokens, usd }: Ask, reserved: boolean): number {
	const { tokens_per_month: tokens = Number.POSITIVE_INFINITY, usd_per_month } = account.budgets
	const byTokens = tokens - account.tokens - (reserved ? account.reserved_tokens : 0) - input_tokens
	if (usd_per_month === undefined || usd === null) return byTokens
	// A rounding up to a whole millionth is always there to be made.
	const left = usd_per_month * 1e6 - account.usd_micros - (reserved ? account.reserved_micros : 0) - 1
	const forOutput = left - usd.input * 1e6
	const byUsd =
		usd.output_token > 0
			? Math.floor(forOutput / (usd.output_token * 1e6))
			: forOutput < 0
				? -1
				: Number.POSITIVE_INFINITY
	return Math.min(byTokens, byUsd)
}

export const nameOf = ({ scope }: BudgetAccount) =>
	scope === 'deployment' ? 'budget of the deployment' : 'budget of the run key'

export function reachedMessage(account: BudgetAccount): string {
	const { tokens_per_month: tokens, usd_per_month } = account.budgets
	const parts = [
		...(tokens === undefined ? [] : [`${account.tokens} of ${tokens} tokens`]),
		...(usd_per_month === undefined ? [] : [`${dollars(account.usd_micros)} of ${usd_per_month} US dollars`]),
	]
	const none =
		(tokens !== undefined && account.tokens >= tokens) ||
		(usd_per_month !== undefined && account.usd_micros >= usd_per_month * 1e6)
	const how = none ? 'is used up' : 'does not cover another call'
	return `The month's ${nameOf(account)} ${how}: ${parts.join(', ')} are used.`
}

/** To six places, and to two at least. */
const dollars = (micros: number) => (micros / 1e6).toFixed(6).replace(/0{1,4}$/, '')
