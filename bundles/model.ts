/** `model` in `agent.yaml`. */
import { z } from 'zod'
import { modelOptions, optionFaults, optionsOf, outputBound } from './model-options.ts'
import { apiOf } from './provider-address.ts'
import { baseUrl, PLAIN, plain } from './text.ts'

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

export const model = z.discriminatedUnion('provider', [
	z.strictObject({
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
	}),
	z.strictObject({
		provider: z.literal('anthropic'),
		name,
		base_url: baseUrl
			.optional()
			.describe('Address of an Anthropic-compatible server; omitted: Anthropic itself.'),
		...modelOptions,
		parameters: parameters.describe('Sent with every call as they are, for example top_k.'),
		retry_seconds: retrySeconds,
	}),
	z.strictObject({
		provider: z
			.literal('platform')
			.describe("The platform's own provider: can be written, and is refused at deploy."),
		name,
		parameters: z.record(z.string(), json).optional(),
	}),
])

export type Model = z.infer<typeof model>

interface Finding {
	path: PropertyKey[]
	message: string
}

/** What its shape cannot say. */
export function modelRules(model: Model, path: PropertyKey[]): Finding[] {
	if (model.provider === 'platform') return []
	return optionFaults(apiOf(model), optionsOf(model), model.parameters).map(({ option, message }) => ({
		path: [...path, option],
		message,
	}))
}
