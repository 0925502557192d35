/**
 * What a call of another agent may use of its caller's tokens and dollars (spec agent.budget): all that is left, or an
 * equal part where such calls begin together. It is held until the agent has reported, so that nothing beside it uses
 * the same, and it stands in the call's first entry: made again after a crash, the call has the same.
 */
import { type Allowance, type ShareSpent, type Spent, unreported } from '../../wire/agent-calls.ts'
import { addSpent, openShares } from '../../wire/usage.ts'
import { reserveShare } from './budget.ts'
import { OUTPUT_DEFAULT } from './estimate.ts'
import { hold } from './held.ts'
import type { Run } from './run.ts'
import { leftOf, limitReached, tokenLimit, usdLimit } from './run-limits.ts'

export interface HeldShare {
	allowance: Allowance
	release(): void
}

/** Those of calls that a crash left open. */
export function holdOpen({ begin, held, shares }: Run): void {
	for (const [n, allowance] of openShares(begin.journal)) shares.set(n, heldShare(held, allowance))
}

/** Undefined: the run ended while the call waited. Rejects where nothing is left. */
export async function takeShare(run: Run, n: number): Promise<Allowance | undefined> {
	const before = run.shares.get(n)
	if (before) return reserveShare(run, n, before.allowance, true)
	const own = await ownShare(run, n)
	if (!own || !run.begin.budget) return own
	try {
		const granted = await reserveShare(run, n, own, false)
		run.shares.get(n)?.release()
		if (granted) run.shares.set(n, heldShare(run.held, granted))
		return granted
	} catch (error) {
		run.shares.delete(n)
		throw error
	}
}

function ownShare(run: Run, n: number): Promise<Allowance | undefined> {
	const asked = Promise.withResolvers<Allowance | undefined>()
	run.asking.set(n, asked)
	// Calls that were asked for at once have come by then.
	setImmediate(() => shareOut(run))
	return asked.promise
}

/** Among all who ask, or later, where calls under way hold what they need. */
function shareOut(run: Run): void {
	const { asking, held } = run
	if (asking.size === 0) return
	const left = leftOf(run)
	const tokens = Math.floor(left.tokens / asking.size)
	const usd = left.usd / asking.size
	if (!run.over && held.calls > 0 && (tokens < OUTPUT_DEFAULT || usd <= 0))
		return void held.waiting.push(() => shareOut(run))
	const dollars = usdLimit(run)
	const allowance: Allowance = {
		tokens: { left: tokens, run: tokenLimit(run).above ?? run.begin.run },
		...(dollars && { usd: { left: usd, run: dollars.above ?? run.begin.run } }),
	}
	const all = [...asking]
	asking.clear()
	for (const [n, { resolve, reject }] of all) {
		if (run.over) resolve(undefined)
		else if (tokens < 1 || usd <= 0) reject(limitReached(run, tokens < 1 ? 'tokens' : 'usd'))
		else {
			run.shares.set(n, heldShare(held, allowance))
			resolve(allowance)
		}
	}
}

function heldShare(held: Run['held'], allowance: Allowance): HeldShare {
	return { allowance, release: hold(held, allowance.tokens.left, allowance.usd?.left ?? 0) }
}

/**
 * What counts of it in the run: all that is reported, also above what was left. Told falsely, that ends this run and
 * those above it, and nothing else. A price that is not known, where dollars were left, is no report of them.
 */
function countedOf(allowance: Allowance, reported: Spent | undefined): ShareSpent {
	const most = unreported(allowance)
	return reported ? { tokens: reported.tokens, usd: reported.usd ?? most.usd } : most
}

/** The same in budgets of a month: a server of somebody else takes no more of them than it was left, whatever it says. */
export function settledOf(allowance: Allowance, reported: Spent | undefined): Spent {
	const most = unreported(allowance)
	const { tokens, usd } = countedOf(allowance, reported)
	const atMost = most.usd !== null && usd !== null ? Math.min(usd, most.usd) : usd
	return { tokens: Math.min(tokens, most.tokens), usd: atMost }
}

/** To be spread into the entry that ends the call */
export function spendShare(
	{ usage, shares }: Run,
	n: number,
	reported: Spent | undefined,
): { spent: ShareSpent } | undefined {
	const share = shares.get(n)
	if (!share) return undefined
	const spent = countedOf(share.allowance, reported)
	addSpent(usage, spent)
	shares.delete(n)
	share.release()
	return { spent }
}

/** The run ends: what the agents it waits for have used, nobody will know here. */
export function spendOpen(run: Run): void {
	for (const n of [...run.shares.keys()]) spendShare(run, n, undefined)
}
