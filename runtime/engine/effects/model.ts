import { KeyError, type OpenCredential, PROVIDER } from '../../keys/index.ts'
import {
	type ModelRequest,
	type ModelResult,
	ProviderError,
	priceOf,
	providerOrigin,
} from '../../providers/index.ts'
import { type Allowance, allow } from '../allowance.ts'
import { shownText } from '../bound.ts'
import { reserve, settleBudget } from '../budget.ts'
import { noteUse, openFor, scrubberOf, tellRefused } from '../credential.ts'
import { addDelta, flushDeltas } from '../deltas.ts'
import type { Effect } from '../effect.ts'
import { inputAtMost, usedAbout } from '../estimate.ts'
import { EffectRejection } from '../failure.ts'
import { takeStep } from '../limits.ts'
import { parametersOf } from '../output-bound.ts'
import type { Run } from '../run.ts'
import { durationOf, open, settle } from '../settle.ts'
import { definitionsOf } from '../tools.ts'
import { addModelUsage } from '../usage.ts'
import { type Handler, malformed } from './handler.ts'
import { type ModelArgs, modelArgs } from './model-args.ts'

const ARGS_MAX_CHARS = 16 * 1024 * 1024

export const model: Handler = {
	async run(run, effect) {
		if (effect.args.length > ARGS_MAX_CHARS) throw malformed(`are over ${ARGS_MAX_CHARS / 1024 / 1024} MiB`)
		const args = modelArgs(run, effect.args)
		const tools = await definitionsOf(run, args.tools)
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
			await call(run, effect, request, credential)
		} finally {
			allowed?.release()
			run.modelGate.leave()
		}
	},
}

function requestOf(run: Run, args: ModelArgs, tools: ModelRequest['tools']): ModelRequest {
	const { provider, ...own } = run.bundle.agent.model as Extract<
		Run['bundle']['agent']['model'],
		{ provider: 'openai' }
	>
	return {
		provider,
		base_url: own.base_url,
		api: own.api,
		model: args.model,
		system: args.system,
		messages: args.messages,
		tools,
		output: args.output,
		parameters: parametersOf({ provider, ...own }, own.parameters, args.parameters),
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

async function call(
	run: Run,
	effect: Effect,
	request: ModelRequest,
	credential: OpenCredential,
): Promise<void> {
	const { services } = run
	if (credential.payload.kind !== 'provider') throw new TypeError('not the credential of a provider')
	const size = { sent: inputAtMost(effect.args, request.tools), came: 0 }
	const calling = services.callModel(request, {
		egress: services.egress,
		apiKey: credential.payload.apiKey.reveal(),
		scrubber: scrubberOf(credential),
		signal: run.abort.signal,
		deadlineAt: run.deadline,
		timeoutMs: services.providerTimeoutMs,
		onDelta(delta) {
			size.came += delta.length
			addDelta(run, effect, delta)
		},
	})
	try {
		const result = await calling
		const usd = priceOf(request.provider, request.model, result.usage) ?? 0
		if (run.begin.budget) await settleBudget(run, effect, { usage: result.usage, usd })
		if (run.over) return
		noteUse(services, run.begin.deployment, credential)
		complete(run, effect, { result, usd })
	} catch (error) {
		if (run.begin.budget) await settleBudget(run, effect, run.over ? usedAbout(request, size) : null)
		if (run.over) return
		if (!(error instanceof ProviderError)) throw error
		if (error.code === 'provider_auth_failed')
			tellRefused(services, run.begin.deployment, credential, error.message)
		refuse(run, effect, error)
	}
}

function complete(run: Run, effect: Effect, { result, usd }: { result: ModelResult; usd: number }): void {
	const { message, stop, usage } = result
	const { input_tokens, cached_input_tokens, output_tokens } = usage
	addModelUsage(run.usage, { ...usage, usd })
	flushDeltas(run, effect)
	settle(run, effect, {
		type: 'model.completed',
		ok: true,
		result: JSON.stringify({ message, stop, usage: { input_tokens, output_tokens } }),
		data: {
			call: effect.n,
			model: result.model,
			stop,
			usage: { input_tokens, cached_input_tokens, output_tokens, usd },
			...durationOf(run, effect),
			...(message.content ? shownText('text', message.content) : undefined),
		},
	})
}

/** Recorded like an answer: the program sees the same failure when it is run again. */
function refuse(run: Run, effect: Effect, { code, message }: ProviderError): void {
	run.rejections.add(code)
	flushDeltas(run, effect)
	settle(run, effect, {
		type: 'model.completed',
		ok: false,
		result: JSON.stringify({ code, message }),
		data: { call: effect.n, error: { code, message }, ...durationOf(run, effect) },
	})
}
