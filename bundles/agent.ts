import { z } from 'zod'
import { HTTP_CALLS, httpSchema } from './http.ts'
import { listed, model, models } from './model.ts'
import { PLAIN, plain, webUrl } from './text.ts'

/** `agent.yaml`. Unknown members are refused everywhere but inside schemas and model parameters. */

const json = z.json()
const jsonObject = z.record(z.string(), json)

export const AGENT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Of what an agent does not set; each stands under the host's own ceiling. */
export const defaultLimits = { steps: 50, seconds: 300, tokens: 500_000, memory_mb: 128 }

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
	models,
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
	return { $schema: schema.$schema, title: 'agent.yaml of a Berth agent', ...listed(schema) }
}
