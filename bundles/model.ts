/** `model` in `agent.yaml`. */
import { z } from 'zod'
import { modelOptions, optionFaults, optionsOf, outputBound, SEARCH_PARAMETERS } from './model-options.ts'
import { refusedParameters } from './model-parameters.ts'
import { type ChosenModel, keyName, modelChains } from './models.ts'
import { apiOf, providerOrigin } from './provider-address.ts'
import { canBeStrict, STRICT_SUBSET } from './schema/structured.ts'
import { baseUrl, PLAIN, plain } from './text.ts'
import { SEARCH_TOOL, searchOf } from './web-search.ts'

const NO_PARAMETER = 'is set by Berth, or is no name of a parameter: leave it out of `parameters`'

const json = z.json()

const parameters = z
	.object({ max_tokens: outputBound, max_output_tokens: outputBound, max_completion_tokens: outputBound })
	.catchall(json)
	.optional()

/** Of a model call that fails in passing: from its first failure on. */
export const RETRY_SECONDS = 30
const retrySeconds = z
	.number()
	.min(0)
	.max(3600)
	.optional()
	.describe(
		`How long a call that fails in passing is tried again, within limits.seconds; 0: never. Omitted: ${RETRY_SECONDS}.`,
	)

const name = z.string().min(1).max(200).refine(plain, PLAIN)

const openai = {
	provider: z.literal('openai'),
	name,
	base_url: baseUrl.optional().describe('Address of an OpenAI-compatible server; omitted: OpenAI itself.'),
	api: z
		.enum(['responses', 'chat'])
		.optional()
		.describe('Which of its two interfaces; omitted: responses at OpenAI, chat elsewhere.'),
	...modelOptions,
	parameters: parameters.describe('Sent with every call as they are, for example service_tier.'),
	retry_seconds: retrySeconds,
}
const anthropic = {
	provider: z.literal('anthropic'),
	name,
	base_url: baseUrl
		.optional()
		.describe('Address of an Anthropic-compatible server; omitted: Anthropic itself.'),
	...modelOptions,
	parameters: parameters.describe('Sent with every call as they are, for example top_k.'),
	retry_seconds: retrySeconds,
}
const platform = {
	provider: z
		.literal('platform')
		.describe("The platform's own provider: can be written, and is refused at deploy."),
	name,
	parameters: z.record(z.string(), json).optional(),
}

function modelWith<More extends z.ZodRawShape>(more: More) {
	return z.discriminatedUnion('provider', [
		z.strictObject({ ...openai, ...more }),
		z.strictObject({ ...anthropic, ...more }),
		z.strictObject({ ...platform, ...more }),
	])
}

const KEY_NAME = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/
const key = z
	.string()
	.regex(KEY_NAME, 'the name of a key is 1–63 of a–z, 0–9, - and _')
	.optional()
	.describe('Name of a key of its own. Omitted: models of one address share theirs.')

const FALLBACKS_MAX = 3
export const LIST_OF_MODELS = `must be a model, or a list of 1 to ${FALLBACKS_MAX + 1} models, each with provider and name`
const fallback = modelWith({ key })
const fallbacks = z
	.array(fallback)
	.min(1)
	.max(FALLBACKS_MAX, `a model has at most ${FALLBACKS_MAX} fallbacks`)
	.optional()
	.describe('Asked in turn where the one before fails for good; the same as a list of models.')

const first = modelWith({ fallbacks })
const named = modelWith({ key, fallbacks })
export const model = first
export const models = z
	.record(z.string().regex(KEY_NAME, 'the name of a model is 1–63 of a–z, 0–9, - and _'), named)
	.optional()
	.describe('Further models by name, for `ctx.model(messages, { model: NAME })`.')

/** For editors, which read agent.yaml as it is written: `models` of one name may be a list. */
export function listed(schema: { properties?: Record<string, unknown> }): object {
	const { model, models, ...others } = schema.properties as Record<string, { additionalProperties?: object }>
	const { $schema: _, ...one } = z.toJSONSchema(fallback, { io: 'input', target: 'draft-2020-12' })
	const list = { type: 'array', minItems: 1, maxItems: FALLBACKS_MAX + 1, items: one }
	const orList = (single: object | undefined) => ({ anyOf: [single, list] })
	return {
		...schema,
		properties: {
			...others,
			model: orList(model),
			models: { ...models, additionalProperties: orList(models?.additionalProperties) },
		},
	}
}

export type Model = z.infer<typeof model>
export type Models = z.infer<typeof models>

interface Finding {
	path: PropertyKey[]
	message: string
}

/** What their shapes cannot say. */
export function modelRules(
	agent: { model: Model; models?: Models; output?: object | undefined },
	tools: ReadonlySet<string>,
): Finding[] {
	const all = [...modelChains(agent).values()].flat()
	return [
		...all.flatMap(optionRules),
		...all.flatMap(parameterRules),
		...all.flatMap((one) => strictRules(one, agent.output)),
		...(tools.has(SEARCH_TOOL) ? all.flatMap(searchNameRules) : []),
		...keyRules(all),
	]
}

function searchNameRules({ model, path }: ChosenModel): Finding[] {
	if (!searchOf(model) || apiOf(model) !== 'messages') return []
	const message = `is a tool named ${SEARCH_TOOL} at Anthropic, and \`requires\` lists a tool of that name: leave one of them out`
	return [{ path: [...path, 'web_search'], message }]
}

function optionRules({ model, path }: ChosenModel): Finding[] {
	return optionFaults(apiOf(model), optionsOf(model), model.parameters).map(({ option, message }) => ({
		path: [...path, option],
		message,
	}))
}

/** Such a name would end every run. */
function parameterRules({ model, path }: ChosenModel): Finding[] {
	const { parameters = {} } = model
	// What web search writes itself is told at `web_search`.
	const told = searchOf(model) ? SEARCH_PARAMETERS : []
	return refusedParameters(apiOf(model), parameters)
		.filter((name) => !told.includes(name))
		.map((name) => ({ path: [...path, 'parameters', name], message: NO_PARAMETER }))
}

/** A guarantee that the provider would refuse. */
function strictRules({ model, path }: ChosenModel, output: object | undefined): Finding[] {
	const api = apiOf(model)
	if (!output || model.strict !== true || canBeStrict(api, output)) return []
	return [{ path: [...path, 'strict'], message: `the schema \`output\` ${STRICT_SUBSET[api]}` }]
}

/** One key is for one address. */
function keyRules(all: ChosenModel[]): Finding[] {
	return all.flatMap((one) => {
		const owner = all.find(({ credential }) => credential === one.credential) as ChosenModel
		if (providerOrigin(owner.model) === providerOrigin(one.model)) return []
		const message = `its key ${keyName(one.credential)} is for ${providerOrigin(owner.model)}: name another with \`key\``
		return [{ path: one.model.key === undefined ? one.path : [...one.path, 'key'], message }]
	})
}
