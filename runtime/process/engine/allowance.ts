/**
 * `limits.tokens` and `limits.usd` of a run (spec limit.tokens-together). What a call can use is held before it is
 * made, so that calls side by side do not use together what is not there. One that does not fit waits for those under
 * way; when there is none, it may have all that is left.
 */

import type { Effect } from '../../wire/recorded-effect.ts'
import type { ModelRequest } from '../providers/index.ts'
import {
	BYTES_A_TOKEN,
	costAtMost,
	inputAtMost,
	OUTPUT_DEFAULT,
	searches,
	unlistedSearch,
	unlistedTier,
} from './estimate.ts'
import { RunFailure } from './failure.ts'
import { hold as holdOf } from './held.ts'
import { maxOutput, withMaxOutput } from './max-output.ts'
import type { Run } from './run.ts'
import { leftOf, limitReached, usdLimit } from './run-limits.ts'

/** No model in use answers longer than this; only where less is left is a call told a bound that has none. */
const OUTPUT_UNTOLD = 128_000
/** Providers take no smaller bound. */
const OUTPUT_LEAST = 16

export interface Allowance {
	/** With the bound it is to keep. */
	request: ModelRequest
	/** Once what the call has used is in the run's usage. */
	release(): void
}

/** Undefined: the run ended while the call waited. Throws where all that is left does not cover it. */
export async function allow(run: Run, effect: Effect, request: ModelRequest): Promise<Allowance | undefined> {
	const input = inputAtMost(effect.args, request)
	for (;;) {
		const output = run.held.calls === 0 ? alone(run, request, input) : beside(run, request, input)
		if (output) return hold(run, request, input, output)
		await new Promise<void>((resolve) => run.held.waiting.push(resolve))
		if (run.over) return undefined
	}
}

interface Output {
	/** Tokens it is taken to make at most. */
	most: number
	told: boolean
}

/** By a guess: by the surest figure runs would end with four times left of what they need. */
function alone(run: Run, request: ModelRequest, input: number): Output {
	const own = maxOutput(request)
	const { tokens, usd } = roomFor(run, request, Math.ceil(input / BYTES_A_TOKEN))
	const room = Math.min(tokens, usd)
	if (room < Math.min(own ?? OUTPUT_LEAST, OUTPUT_LEAST))
		throw limitReached(run, tokens <= usd ? 'tokens' : 'usd', searches(request))
	if (own !== undefined) return { most: Math.min(own, room), told: own > room }
	if (room >= OUTPUT_UNTOLD) return { most: OUTPUT_UNTOLD, told: false }
	// Not all the room: a larger bound than a model knows is an error at the providers.
	return { most: Math.min(room, OUTPUT_DEFAULT), told: true }
}

/** Undefined: it has to wait. */
function beside(run: Run, request: ModelRequest, input: number): Output | undefined {
	const own = maxOutput(request)
	const { tokens, usd } = roomFor(run, request, input)
	const room = Math.min(tokens, usd)
	if (room >= (own ?? OUTPUT_UNTOLD)) return { most: own ?? OUTPUT_UNTOLD, told: false }
	if (own === undefined && room >= OUTPUT_DEFAULT) return { most: OUTPUT_DEFAULT, told: true }
	return undefined
}

/** Output tokens that each limit has room for, beside so much input and what is held. */
function roomFor(run: Run, request: ModelRequest, input: number) {
	const room = leftOf(run)
	const tokens = room.tokens - input
	if (!usdLimit(run)) return { tokens, usd: Number.POSITIVE_INFINITY }
	const cost = costAtMost(request, input)
	if (!cost) {
		const [what, mend] = unlistedTier(request)
			? ['this service_tier', 'Leave it out of the parameters.']
			: [
					unlistedSearch(request) ? `a web search of ${request.model}` : request.model,
					'An operator can set the price.',
				]
		const text = `The price of ${what} is not known, so its cost cannot be limited; no call was made. ${mend}`
		throw new RunFailure('cost_limit_reached', text)
	}
	const left = room.usd - cost.input
	if (cost.output_token === 0) return { tokens, usd: left > 0 ? Number.POSITIVE_INFINITY : -1 }
	return { tokens, usd: Math.floor(left / cost.output_token) }
}

function hold(run: Run, request: ModelRequest, input: number, { most, told }: Output): Allowance {
	const { held } = run
	const cost = usdLimit(run) ? costAtMost(request, input) : null
	const tokens = input + most
	const usd = cost ? cost.input + most * cost.output_token : 0
	return { request: told ? withMaxOutput(request, most) : request, release: holdOf(held, tokens, usd) }
}
