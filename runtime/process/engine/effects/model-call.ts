import type { ModelUsage } from '../../../prices/index.ts'
import { priceOf } from '../../../prices/index.ts'
import type { Effect } from '../../../wire/recorded-effect.ts'
import { addModelUsage } from '../../../wire/usage.ts'
import type { OpenCredential } from '../../keys/index.ts'
import {
	type CallContext,
	type ModelRequest,
	type ModelResult,
	ProviderError,
} from '../../providers/index.ts'
import { answerFault } from '../answered.ts'
import { settleBudget } from '../budget.ts'
import { noteUse, scrubberOf, tellRefused } from '../credential.ts'
import { addDelta, flushDeltas } from '../deltas.ts'
import { inputAtMost, usedAbout } from '../estimate.ts'
import type { Run } from '../run.ts'
import { sealedBy } from '../sealed-for.ts'
import { durationOf, settle } from '../settle.ts'
import { shownList, shownText } from '../shown.ts'
import { tellUnreadable } from './tool-refused.ts'

interface Used {
	usage: ModelUsage
	usd: number | null
}

/** Of a call, a part of whose answer has come: its provider wants to be asked to go on. */
export interface Paused {
	paused: unknown[]
	/** Of all its parts so far. */
	used: Used
}

const NOTHING: Used = { usage: { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }, usd: 0 }

/** An attempt without an answer, and what it has cost as far as it is known. */
export interface Lost {
	error: ProviderError
	used: Used | undefined
}

export interface Answered {
	used: Used
	/** Name of the credential. */
	key: string
	/** Schema of the answer. */
	output: object | undefined
}

type Settling = Paused | undefined | Promise<Paused | undefined>

/** Of calls: an answer, or vectors. */
export interface Kind<Result extends { usage: ModelUsage }> {
	/** In its first event. */
	opened?: Record<string, unknown>
	call(services: Run['services'], request: ModelRequest, context: CallContext): Promise<Result>
	/** Settles the effect; or tells how the answer goes on. */
	complete(run: Run, effect: Effect, result: Result, answered: Answered): Settling
}

export const answering: Kind<ModelResult> = {
	call: ({ callModel }, request, context) => callModel(request, context),
	complete,
}

/** Makes the call. Resolves with why it is lost, or that it goes on; with nothing where it is settled, or the run is over. */
export async function callOnce<Result extends { usage: ModelUsage }>(
	run: Run,
	effect: Effect,
	request: ModelRequest,
	credential: OpenCredential,
	kind: Kind<Result>,
	before?: Used,
): Promise<Lost | Paused | undefined> {
	const { services } = run
	if (credential.payload.kind !== 'provider') throw new TypeError('not the credential of a provider')
	const size = { sent: inputAtMost(effect.args, request), came: 0 }
	const begunAt = services.date()
	const about = () => usedAbout(request, size)
	const counts = (used: Used) => run.calls.set(effect, () => flat(used))
	run.calls.set(effect, () => flat(about()))
	const calling = kind.call(services, request, {
		egress: services.egress,
		apiKey: credential.payload.apiKey.reveal(),
		scrubber: scrubberOf(credential),
		signal: run.abort.signal,
		timeoutMs: services.providerTimeoutMs,
		totalMs: services.providerCallMs,
		onDelta(delta) {
			// What comes later is not in the usage that the run ended with.
			if (!run.over) size.came += delta.length
			addDelta(run, effect, delta)
		},
	})
	try {
		const result = await calling
		const used = run.over ? about() : priced(request, result.usage)
		counts(used)
		if (run.begin.budget) await settleBudget(run, effect, used)
		if (run.over) return undefined
		noteUse(services, run.begin.deployment, credential, begunAt)
		count(run, effect, used)
		const { output } = request
		return await kind.complete(run, effect, result, { used: sum(used, before), key: credential.name, output })
	} catch (error) {
		const lost = error instanceof ProviderError ? error : undefined
		const used = run.over ? about() : lost?.used && priced(request, lost.used)
		counts(used ?? NOTHING)
		if (run.begin.budget) await settleBudget(run, effect, used ?? null)
		if (run.over) return undefined
		if (!lost) throw error
		if (used) count(run, effect, used)
		if (lost.code === 'provider_auth_failed')
			tellRefused(services, run.begin.deployment, credential, lost.message)
		flushDeltas(run, effect)
		return { error: lost, used: used ? sum(used, before) : before }
	} finally {
		run.calls.delete(effect)
	}
}

const flat = ({ usage, usd }: Used) => ({ ...usage, usd })

/** Once: from here on it is among what the run has used. */
function count(run: Run, effect: Effect, used: Used): void {
	run.calls.delete(effect)
	addModelUsage(run.usage, flat(used))
}

function complete(run: Run, effect: Effect, result: ModelResult, answered: Answered): Settling {
	const { used, output } = answered
	if (result.paused) return { paused: result.paused, used }
	if (!output) return void settleAnswer(run, effect, result, answered)
	return answerFault(run, output, result).then((fault) => settleAnswer(run, effect, result, answered, fault))
}

function settleAnswer(
	run: Run,
	effect: Effect,
	result: ModelResult,
	{ used, key }: Answered,
	fault?: string,
): undefined {
	const { stop, why, citations, searches } = result
	const message = run.bundle.several ? sealedBy(key, result.message) : result.message
	const { input_tokens, output_tokens } = used.usage
	if (stop === 'length') run.rejections.add('output_limit_reached')
	flushDeltas(run, effect)
	settle(run, effect, {
		type: 'model.completed',
		ok: true,
		result: JSON.stringify({
			...{ message, stop, model: result.model, usage: { input_tokens, output_tokens } },
			...(why && { why }),
			...(fault && { fault }),
			...(citations && { citations }),
		}),
		data: {
			call: effect.n,
			model: result.model,
			stop,
			...usageData(used),
			...durationOf(run, effect),
			...(message.content ? shownText('text', message.content) : undefined),
			...(citations && { citations: shownList(citations) }),
			...(searches && { searches: shownList(searches) }),
		},
	})
	tellUnreadable(run, message.tool_calls)
}

function sum(used: Used, before: Used | undefined): Used {
	if (!before) return used
	const usage: ModelUsage = { ...used.usage }
	for (const name of COUNTS) {
		const count = (used.usage[name] ?? 0) + (before.usage[name] ?? 0)
		if (count > 0) usage[name] = count
	}
	const usd = used.usd === null || before.usd === null ? null : used.usd + before.usd
	return { usage, usd }
}

const COUNTS = [
	'input_tokens',
	'cached_input_tokens',
	'cache_write_input_tokens',
	'output_tokens',
	'web_searches',
] as const

/** Recorded like an answer: the program sees the same failure when it is run again. */
export function refuse(run: Run, effect: Effect, { error: { code, message }, used }: Lost): void {
	const tries = effect.attempt > 1 ? ` (attempt ${effect.attempt})` : ''
	const error = { code, message: message + tries }
	run.rejections.add(code)
	settle(run, effect, {
		type: 'model.completed',
		ok: false,
		result: JSON.stringify(error),
		data: { call: effect.n, error, ...usageData(used), ...durationOf(run, effect) },
	})
}

/** Tells readers of the stream that what the attempt has said so far counts for nothing. */
/** `next`: the model that is asked now. */
export function voidAttempt(
	run: Run,
	effect: Effect,
	{ error, used }: Lost,
	delayMs: number,
	next?: ModelRequest,
): void {
	const { code, message } = error
	run.recorder.append({
		type: 'model.retrying',
		data: {
			call: effect.n,
			attempt: effect.attempt,
			error: { code, message },
			delay_ms: Math.round(delayMs),
			...(next && { next: { provider: next.provider, model: next.model } }),
			...usageData(used),
		},
	})
}

function priced({ provider, model }: ModelRequest, usage: ModelUsage): Used {
	return { usage, usd: priceOf(provider, model, usage) }
}

export function usageData(used: Used | undefined) {
	if (!used) return undefined
	const { input_tokens, cached_input_tokens, output_tokens, web_searches, estimated } = used.usage
	const more = { ...(web_searches !== undefined && { web_searches }), ...(estimated && { estimated }) }
	return { usage: { input_tokens, cached_input_tokens, output_tokens, ...more, usd: used.usd } }
}
