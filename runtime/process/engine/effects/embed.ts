import type { ChosenModel } from '../../../../bundles/index.ts'
import { type EmbedResult, type ModelRequest, ProviderError } from '../../providers/index.ts'
import { EffectRejection } from '../failure.ts'
import { mayGoOn, retriesOf } from '../retries.ts'
import type { Run } from '../run.ts'
import { durationOf, settle } from '../settle.ts'
import { argsOf, type Handler, malformed } from './handler.ts'
import { attempt } from './model.ts'
import { type Kind, refuse, usageData, voidAttempt } from './model-call.ts'

const TEXTS_MAX = 128
const RESULT_MAX_CHARS = 4 * 1024 * 1024

/** Vectors of texts: a model call without a conversation, under the same limits, and counted with the others. */
export const embed: Handler = {
	async run(run, effect) {
		const { texts, chosen } = embedArgs(run, effect.args)
		const ask = { chosen, request: accountOf(run, chosen) }
		const retries = retriesOf(run, chosen.model)
		for (;;) {
			const lost = await attempt(run, effect, ask, embedding(chosen, texts))
			if (!lost || 'paused' in lost) return
			const delay = lost.error.passing ? retries.next(lost.error.waitMs) : undefined
			if (delay === undefined) return refuse(run, effect, lost)
			voidAttempt(run, effect, lost, delay)
			if (!(await mayGoOn(run, effect, delay))) return
			effect.attempt++
		}
	},
}

/** Only a model of `models` by name: that of `model` answers in words. */
function embedArgs({ bundle }: Run, args: string): { texts: string[]; chosen: ChosenModel } {
	const { model, input } = argsOf<'embed'>(args)
	const isTexts = Array.isArray(input) && input.every((text) => typeof text === 'string' && text !== '')
	if (!isTexts || input.length === 0) throw malformed('have an `input` that is no list of texts')
	const refused = (text: string) => new EffectRejection('agent_error', `ctx.embed: ${text}.`)
	if (input.length > TEXTS_MAX)
		throw refused(`${input.length} texts, of which ${TEXTS_MAX} are taken at once`)
	const chain = typeof model === 'string' ? bundle.models.get(model) : undefined
	const [chosen, ...fallbacks] = chain ?? []
	if (!chosen) throw refused('`model` must be a name of `models` in agent.yaml')
	if (chosen.model.provider === 'anthropic') throw refused('Anthropic has no embeddings')
	if (fallbacks.length > 0)
		throw refused(`${String(model)} has fallbacks, and vectors of two models cannot be compared`)
	return { texts: input, chosen }
}

/** What limits and budgets go by: input, and next to no output. */
function accountOf(run: Run, { model: { provider, base_url, name: model } }: ChosenModel): ModelRequest {
	return {
		...{ provider, base_url, api: 'chat', model, system: '', messages: [], tools: [] },
		parameters: { max_tokens: 1 },
		cacheKey: run.begin.deployment,
	}
}

const tooMuch = () =>
	new ProviderError('agent_error', 'ctx.embed: the vectors are over 4 Mi characters; send fewer texts.')

function embedding({ model }: ChosenModel, texts: string[]): Kind<EmbedResult> {
	const { provider, base_url, name, parameters = {} } = model
	return {
		opened: { embedding: true },
		call: ({ embed }, _, context) => embed({ provider, base_url, model: name, parameters, texts }, context),
		complete(run, effect, { vectors, model, usage }, { used }) {
			const result = JSON.stringify({ vectors, model, usage: { input_tokens: usage.input_tokens } })
			if (result.length > RESULT_MAX_CHARS) {
				refuse(run, effect, { error: tooMuch(), used })
				return undefined
			}
			settle(run, effect, {
				type: 'model.completed',
				ok: true,
				result,
				data: {
					...{ call: effect.n, model, embedding: true, texts: texts.length },
					...{ dimensions: vectors[0]?.length, ...usageData(used), ...durationOf(run, effect) },
				},
			})
			return undefined
		},
	}
}
