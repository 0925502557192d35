import { type ChosenModel, providerOrigin } from '../../../../bundles/index.ts'
import type { ModelUsage } from '../../../prices/index.ts'
import type { Effect } from '../../../wire/recorded-effect.ts'
import { KeyError, type OpenCredential } from '../../keys/index.ts'
import { type ModelRequest, ProviderError } from '../../providers/index.ts'
import { type Allowance, allow } from '../allowance.ts'
import { reserve } from '../budget.ts'
import { openFor } from '../credential.ts'
import { EffectRejection } from '../failure.ts'
import { type Loaded, namedFiles, withBytes } from '../files.ts'
import { takeStep } from '../limits.ts'
import { settingsOf } from '../model-settings.ts'
import { mayGoOn, retriesOf } from '../retries.ts'
import type { Run } from '../run.ts'
import { sealedFor } from '../sealed-for.ts'
import { open } from '../settle.ts'
import { definitionsOf } from '../tools.ts'
import { type Handler, malformed } from './handler.ts'
import { type ModelArgs, modelArgs } from './model-args.ts'
import { answering, callOnce, type Kind, type Lost, type Paused, refuse, voidAttempt } from './model-call.ts'

/** So often a paused answer is gone on with. A provider that goes on for ever is left. */
const CONTINUATIONS_MAX = 10
const ARGS_MAX_CHARS = 16 * 1024 * 1024

export const model: Handler = {
	async run(run, effect) {
		if (effect.args.length > ARGS_MAX_CHARS) throw malformed(`are over ${ARGS_MAX_CHARS / 1024 / 1024} MiB`)
		const args = modelArgs(run, effect.args)
		const tools = await definitionsOf(run, args.tools)
		const files = await namedFiles(run, args.messages)
		// All of them at once: an option that a later one does not take is told before the first is asked.
		const asks = args.chain.map((chosen) => ({
			chosen,
			request: requestOf(run, args, chosen, { tools, files }),
		}))
		for (const [i, ask] of asks.entries()) {
			const next = asks[i + 1]
			const retries = retriesOf(run, ask.chosen.model)
			for (let again = true; again; ) {
				const lost = await wholeAnswer(run, effect, ask)
				if (!lost) return
				const delay = lost.error.passing ? retries.next(lost.error.waitMs) : undefined
				again = delay !== undefined
				if (!again && !(next && fallsBack(lost.error))) return refuse(run, effect, lost)
				voidAttempt(run, effect, lost, delay ?? 0, again ? undefined : next?.request)
				if (!(await mayGoOn(run, effect, delay ?? 0))) return
				effect.attempt++
			}
		}
	},
}

/** One attempt, in as many requests as its provider wants for one answer. */
async function wholeAnswer(run: Run, effect: Effect, { chosen, request }: Ask): Promise<Lost | undefined> {
	let before: Paused | undefined
	for (let part = 0; part <= CONTINUATIONS_MAX; part++) {
		const going = before && { paused: before.paused, searched: before.used.usage.web_searches ?? 0 }
		const came = await attempt(
			run,
			effect,
			{ chosen, request: { ...request, ...going } },
			answering,
			before?.used,
		)
		if (!came || 'error' in came) return came
		before = came
	}
	const message = `the provider has paused its answer again after ${CONTINUATIONS_MAX} continuations`
	return { error: new ProviderError('provider_unavailable', message), used: before?.used }
}

/** Nothing that the next model would be refused for as well. */
function fallsBack({ code, missing }: ProviderError): boolean {
	return missing || code === 'provider_unavailable' || code === 'provider_rate_limited'
}

interface Ask {
	chosen: ChosenModel
	request: ModelRequest
}

/**
 * One request, under every limit anew. Undefined: the call is settled, or the run is over. `before`: what the parts of
 * its answer so far have used.
 */
export async function attempt<Result extends { usage: ModelUsage }>(
	run: Run,
	effect: Effect,
	{ chosen, request: asked }: Ask,
	kind: Kind<Result>,
	before?: Paused['used'],
): Promise<Lost | Paused | undefined> {
	const entered = run.modelGate.enter()
	if (entered) await entered
	let allowed: Allowance | undefined
	let held: Loaded | undefined
	try {
		if (run.over) return
		allowed = await allow(run, effect, asked)
		if (!allowed) return
		if (effect.attempt === 1 && !before) takeStep(run)
		const credential = await openProvider(run, chosen)
		if (run.over) return
		held = asked.files && (await withBytes(run, asked.files))
		if (run.over) return
		const reserved = await reserve(run, effect, allowed.request)
		if (!reserved) return
		const request = held ? { ...reserved, files: held.files } : reserved
		const { provider, model } = request
		if (!before) {
			open(run, effect, 'model.started', { model, ...(run.bundle.several && { provider }), ...kind.opened })
			run.usage.model_calls++
		}
		return await callOnce(run, effect, request, credential, kind, before)
	} finally {
		held?.release()
		allowed?.release()
		run.modelGate.leave()
	}
}

function requestOf(
	run: Run,
	args: ModelArgs,
	{ model, credential }: ChosenModel,
	{ tools, files }: Pick<ModelRequest, 'tools'> & { files: ModelRequest['files'] | undefined },
): ModelRequest {
	const address = {
		provider: model.provider,
		base_url: model.base_url,
		api: 'api' in model ? model.api : undefined,
	}
	return {
		...address,
		model: model.name,
		system: args.system,
		messages: run.bundle.several ? sealedFor(credential, args.messages) : args.messages,
		tools,
		...(files && { files }),
		output: args.output,
		...settingsOf(address, model, args, tools),
		// The same for every run of a deployment: they share prompt and tools.
		cacheKey: run.begin.deployment,
	}
}

async function openProvider(run: Run, { model, credential }: ChosenModel): Promise<OpenCredential> {
	try {
		return await openFor(run, credential, providerOrigin(model))
	} catch (cause) {
		if (!(cause instanceof KeyError)) throw cause
		throw new EffectRejection('credentials_missing', cause.message, { cause })
	}
}
