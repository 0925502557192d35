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
import { settleBudget } from '../budget.ts'
import { noteUse, scrubberOf, tellRefused } from '../credential.ts'
import { addDelta, flushDeltas } from '../deltas.ts'
import { inputAtMost, usedAbout } from '../estimate.ts'
import type { Run } from '../run.ts'
import { sealedBy } from '../sealed-for.ts'
import { durationOf, settle } from '../settle.ts'
import { shownText } from '../shown.ts'

interface Used {
	usage: ModelUsage
	usd: number | null
}

/** An attempt without an answer, and what it has cost as far as it is known. */
export interface Lost {
	error: ProviderError
	used: Used | undefined
}

/** Of calls: an answer, or vectors. */
export interface Kind<Result extends { usage: ModelUsage }> {
	/** In its first event. */
	opened?: Record<string, unknown>
	call(services: Run['services'], request: ModelRequest, context: CallContext): Promise<Result>
	/** Settles the effect. */
	complete(run: Run, effect: Effect, result: Result, used: Used, key: string): void
}

export const answering: Kind<ModelResult> = {
	call: ({ callModel }, request, context) => callModel(request, context),
	complete,
}

/** Makes the call. Resolves with why it is lost; with nothing where it is settled, or the run is over. */
export async function callOnce<Result extends { usage: ModelUsage }>(
	run: Run,
	effect: Effect,
	request: ModelRequest,
	credential: OpenCredential,
	kind: Kind<Result>,
): Promise<Lost | undefined> {
	const { services } = run
	if (credential.payload.kind !== 'provider') throw new TypeError('not the credential of a provider')
	const size = { sent: inputAtMost(effect.args, request), came: 0 }
	const begunAt = services.date()
	const calling = kind.call(services, request, {
		egress: services.egress,
		apiKey: credential.payload.apiKey.reveal(),
		scrubber: scrubberOf(credential),
		signal: run.abort.signal,
		timeoutMs: services.providerTimeoutMs,
		totalMs: services.providerCallMs,
		onDelta(delta) {
			size.came += delta.length
			addDelta(run, effect, delta)
		},
	})
	try {
		const result = await calling
		const used = priced(request, result.usage)
		if (run.begin.budget) await settleBudget(run, effect, used)
		if (run.over) return undefined
		noteUse(services, run.begin.deployment, credential, begunAt)
		addModelUsage(run.usage, { ...used.usage, usd: used.usd })
		kind.complete(run, effect, result, used, credential.name)
		return undefined
	} catch (error) {
		const lost = error instanceof ProviderError ? error : undefined
		const used = run.over ? usedAbout(request, size) : lost?.used && priced(request, lost.used)
		if (run.begin.budget) await settleBudget(run, effect, used ?? null)
		if (run.over) return undefined
		if (!lost) throw error
		if (used) addModelUsage(run.usage, { ...used.usage, usd: used.usd })
		if (lost.code === 'provider_auth_failed')
			tellRefused(services, run.begin.deployment, credential, lost.message)
		flushDeltas(run, effect)
		return { error: lost, used }
	}
}

function complete(run: Run, effect: Effect, result: ModelResult, used: Used, key: string): void {
	const { stop, usage } = result
	const message = run.bundle.several ? sealedBy(key, result.message) : result.message
	const { input_tokens, output_tokens } = usage
	if (stop === 'length') run.rejections.add('output_limit_reached')
	flushDeltas(run, effect)
	settle(run, effect, {
		type: 'model.completed',
		ok: true,
		result: JSON.stringify({ message, stop, model: result.model, usage: { input_tokens, output_tokens } }),
		data: {
			call: effect.n,
			model: result.model,
			stop,
			...usageData(used),
			...durationOf(run, effect),
			...(message.content ? shownText('text', message.content) : undefined),
		},
	})
}

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
	const { input_tokens, cached_input_tokens, output_tokens } = used.usage
	return { usage: { input_tokens, cached_input_tokens, output_tokens, usd: used.usd } }
}
