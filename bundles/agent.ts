import { z } from 'zod'
import { HTTP_CALLS, httpSchema } from './http.ts'
import { hiddenCharacter } from './path.ts'

/** `agent.yaml`. Unknown members are refused everywhere but inside schemas and model parameters. */

const json = z.json()
const jsonObject = z.record(z.string(), json)

export const AGENT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Of what an agent does not set; each stands under the host's own ceiling. */
export const defaultLimits = { steps: 50, seconds: 300, tokens: 500_000, memory_mb: 128 }

export const URL_MAX_LETTERS = 2048
/** Not shown to whoever reads the file, or dropped by whoever parses it. */
const plain = (text: string) => hiddenCharacter(text) === null
const PLAIN = 'must hold no control, invisible or direction-changing character'

// Not `z.url`, which drops tabs and line ends before they are seen.
const webUrl = z
	.string()
	.max(URL_MAX_LETTERS)
	.meta({ format: 'uri' })
	.refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'must be an http(s) URL')
	.refine((url) => plain(url) && !/\s/.test(url), `${PLAIN} and no space`)

/** Paths are put behind it, and what stands in it is no secret. */
const baseUrl = webUrl.refine(
	(url) => !/[?#]/.test(url) && !/^https?:\/\/[^/]*@/i.test(url),
	'must be a URL without query, fragment, user name or password',
)

/** A server may take anything but a count for "no bound", past tokens and dollars the run is limited to. */
const NO_COUNT = 'must be a whole number from 1 on'
const outputBound = z.int(NO_COUNT).min(1, NO_COUNT).optional()
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

const model = z.discriminatedUnion('provider', [
	z.strictObject({
		provider: z.literal('openai'),
		name: z.string().min(1).max(200).refine(plain, PLAIN),
		base_url: baseUrl.optional().describe('Address of an OpenAI-compatible server; omitted: OpenAI itself.'),
		api: z
			.enum(['responses', 'chat'])
			.optional()
			.describe('Which of its two interfaces; omitted: responses at OpenAI, chat elsewhere.'),
		parameters: parameters.describe('Sent with every call as they are, for example temperature.'),
		retry_seconds: retrySeconds,
	}),
	z.strictObject({
		provider: z.literal('anthropic'),
		name: z.string().min(1).max(200).refine(plain, PLAIN),
		base_url: baseUrl
			.optional()
			.describe('Address of an Anthropic-compatible server; omitted: Anthropic itself.'),
		parameters: parameters.describe('Sent with every call as they are, for example max_tokens.'),
		retry_seconds: retrySeconds,
	}),
	z.strictObject({
		provider: z
			.literal('platform')
			.describe("The platform's own provider: can be written, and is refused at deploy."),
		name: z.string().min(1).max(200).refine(plain, PLAIN),
		parameters: jsonObject.optional(),
	}),
])

/** Exactly these members, and no other (spec bundle.requires-entry). */
const requirement = z.strictObject({
	connector: webUrl.describe('Address of a remote MCP server.'),
	scopes: z.array(z.string().min(1).max(200)).max(64),
	auth: z.enum(['oauth', 'bearer', 'none']),
	kind: z.literal('connector'),
	tools: z.array(z.string().min(1).max(128).refine(plain, PLAIN)).min(1).max(128),
})

const limits = z.strictObject({
	steps: z.int().min(1).max(10_000).default(defaultLimits.steps).describe('Model calls of one run.'),
	seconds: z
		.number()
		.positive()
		.max(86_400)
		.default(defaultLimits.seconds)
		.describe('Wall-clock time of one run, waiting for people not counted.'),
	tokens: z
		.int()
		.min(1)
		.max(1_000_000_000)
		.default(defaultLimits.tokens)
		.describe('Input and output tokens of one run.'),
	memory_mb: z.int().min(16).max(4096).default(defaultLimits.memory_mb).describe('Memory of the isolate.'),
	usd: z
		.number()
		.positive()
		.max(100_000)
		.optional()
		.describe('Money one run may cost; omitted: no limit of its own.'),
	http_calls: z
		.int()
		.min(1)
		.max(10_000)
		.optional()
		.describe(`Requests that programs make with ctx.http in one run; omitted: ${HTTP_CALLS}.`),
})

/** The guard's tool that results of other tools are shown to (spec connector.screened). */
export const SCREEN_TOOL = 'guard_screen'

const toolSettings = z.strictObject({
	approval: z.literal('required').optional().describe('A person decides about each call.'),
	screen: z
		.boolean()
		.optional()
		.describe(
			'Its results pass the guard before anyone reads them; `requires` must list guard_screen at one connector.',
		),
	idempotent: z.boolean().optional().describe('May be called again when the outcome of a call is unknown.'),
})

const connectorSettings = z.strictObject({
	timeout_seconds: z
		.number()
		.positive()
		.max(3600)
		.optional()
		.describe(
			"Longest wait for one call, under the host's ceiling; omitted: PROVIDER_TIMEOUT_SECONDS of the host.",
		),
})

const schemaOf = (what: string) => jsonObject.describe(`JSON Schema 2020-12 of the ${what}.`)

export const agentSchema = z.strictObject({
	name: z.string().regex(AGENT_NAME, 'must be 1–63 of a–z, 0–9 and -, not beginning or ending with -'),
	description: z.string().max(1024).default(''),
	model,
	prompt: z
		.string()
		.regex(
			/^[A-Za-z0-9_][A-Za-z0-9._/-]*\.(?:md|txt)$/,
			'must be the path of a .md or .txt file in the agent folder',
		)
		.default('prompt.md')
		.describe('File with the system prompt; {{name}} in it stands for an input.'),
	inputs: schemaOf('inputs of a run; its type is object').default({ type: 'object', properties: {} }),
	output: schemaOf('output; omitted: the output is text').optional(),
	requires: z.array(requirement).max(32).default([]),
	limits: limits.prefault({}),
	tools: z
		.record(z.string(), toolSettings)
		.default({})
		.describe('Settings of ours by `<connector name or URL>/<tool>`.'),
	connectors: z
		.record(z.string(), connectorSettings)
		.optional()
		.describe('Settings of ours by connector name or URL.'),
	http: httpSchema,
})

/** As written in `bundle.json`: with every default filled in. */
export type Agent = z.infer<typeof agentSchema>
export type Requirement = z.infer<typeof requirement>
export type ToolSettings = z.infer<typeof toolSettings>

/** The published JSON Schema of `agent.yaml`, for editors. */
export function agentJsonSchema(): object {
	const schema = z.toJSONSchema(agentSchema, { io: 'input', target: 'draft-2020-12' })
	return { $schema: schema.$schema, title: 'agent.yaml of a Berth agent', ...schema }
}
