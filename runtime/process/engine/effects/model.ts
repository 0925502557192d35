import { providerOrigin } from '../../../../bundles/index.ts'
import type { Effect } from '../../../wire/recorded-effect.ts'
import { KeyError, type OpenCredential, PROVIDER } from '../../keys/index.ts'
import type { ModelRequest } from '../../providers/index.ts'
import { type Allowance, allow } from '../allowance.ts'
import { reserve } from '../budget.ts'
import { openFor } from '../credential.ts'
import { EffectRejection } from '../failure.ts'
import { takeStep } from '../limits.ts'
import { settingsOf } from '../model-settings.ts'
import { mayGoOn, retriesOf } from '../retries.ts'
import type { Run } from '../run.ts'
import { open } from '../settle.ts'
import { definitionsOf } from '../tools.ts'
import { type Handler, malformed } from './handler.ts'
import { type ModelArgs, modelArgs } from './model-args.ts'
import { callOnce, type Lost, refuse, voidAttempt } from './model-call.ts'

const ARGS_MAX_CHARS = 16 * 1024 * 1024

export const model: Handler = {
	async run(run, effect) {
		if (effect.args.length > ARGS_MAX_CHARS) throw malformed(`are over ${ARGS_MAX_CHARS / 1024 / 1024} MiB`)
		const args = modelArgs(run, effect.args)
		const tools = await definitionsOf(run, args.tools)
		const retries = retriesOf(run)
		for (;;) {
			const lost = await attempt(run, effect, args, tools)
			if (!lost) return
			const delay = lost.error.passing ? retries.next(lost.error.waitMs) : undefined
			if (delay === undefined) return refuse(run, effect, lost)
			voidAttempt(run, effect, lost, delay)
			if (!(await mayGoOn(run, effect, delay))) return
			effect.attempt++
		}
	},
}

/** One attempt, under every limit anew. Undefined: the call is settled, or the run is over. */
async function attempt(
	run: Run,
	effect: Effect,
	args: ModelArgs,
	tools: ModelRequest['tools'],
): Promise<Lost | undefined> {
	const entered = run.modelGate.enter()
	if (entered) await entered
	let allowed: Allowance | undefined
	try {
		if (run.over) return
		allowed = await allow(run, effect, requestOf(run, args, tools))
		if (!allowed) return
		if (effect.attempt === 1) takeStep(run)
		const credential = await openProvider(run, allowed.request)
		if (run.over) return
		const request = await reserve(run, effect, allowed.request)
		if (!request) return
		open(run, effect, 'model.started', { model: args.model })
		run.usage.model_calls++
		return await callOnce(run, effect, request, credential)
	} finally {
		allowed?.release()
		run.modelGate.leave()
	}
}

function requestOf(run: Run, args: ModelArgs, tools: ModelRequest['tools']): ModelRequest {
	const { provider, ...own } = run.bundle.agent.model as Extract<
		Run['bundle']['agent']['model'],
		{ provider: 'openai' }
	>
	const address = { provider, base_url: own.base_url, api: own.api }
	return {
		...address,
		model: args.model,
		system: args.system,
		messages: args.messages,
		tools,
		output: args.output,
		...settingsOf(address, own, args, tools),
		// The same for every run of a deployment: they share prompt and tools.
		cacheKey: run.begin.deployment,
	}
}

async function openProvider(run: Run, request: ModelRequest): Promise<OpenCredential> {
	try {
		return await openFor(run, PROVIDER, providerOrigin(request))
	} catch (cause) {
		if (!(cause instanceof KeyError)) throw cause
		throw new EffectRejection('credentials_missing', cause.message, { cause })
	}
}
