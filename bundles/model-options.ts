/**
 * Options of a model call, in one spelling for all interfaces: in `model` of agent.yaml and in each call of a program.
 * An option that an interface does not have is refused, never left out.
 */
import { z } from 'zod'
import type { apiOf } from './provider-address.ts'
import { searchFaults, searchOf, webSearch } from './web-search.ts'
import { plainWords } from './words.ts'

/** A server may take anything but a count for "no bound", past tokens and dollars the run is limited to. */
const NO_COUNT = 'must be a whole number from 1 on'
export const outputBound = z.int(NO_COUNT).min(1, NO_COUNT).optional()

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Members of a model in agent.yaml. */
export const modelOptions = {
	temperature: z.number().min(0).max(2).optional(),
	top_p: z.number().min(0).max(1).optional(),
	seed: z.int().optional().describe('For answers that repeat where the provider can; chat only.'),
	stop: z
		.array(z.string().min(1).max(200))
		.min(1)
		.max(16)
		.optional()
		.describe('The answer ends before any of these texts; not with responses.'),
	max_tokens: outputBound.describe('Longest answer, in tokens.'),
	effort: z.enum(EFFORTS).optional().describe('How much a model that reasons does so.'),
	thinking_tokens: z
		.int()
		.min(1024)
		.optional()
		.describe('Tokens for thinking before an answer; Anthropic only, for models that take a budget.'),
	parallel_tool_calls: z.boolean().optional().describe('false: one tool call in an answer at most.'),
	tool_choice: z
		.union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: z.string().min(1).max(128) })], {
			error: 'must be auto, none, required, or { tool: NAME }',
		})
		.optional()
		.describe('required: some tool; { tool: NAME }: that one.'),
	strict: z
		.boolean()
		.optional()
		.describe(
			'true: the provider guarantees the output schema, which must be within its subset; false: no guarantee is asked for. Omitted: guaranteed where it can be.',
		),
	citations: z
		.boolean()
		.optional()
		.describe('true: answers cite the files that the model is shown; Anthropic only.'),
	web_search: webSearch,
}

/** Parameters that `web_search` stands for. */
export const SEARCH_PARAMETERS: readonly string[] = ['tools', 'web_search_options']

const optionsSchema = z.strictObject(modelOptions)
export type ModelSettings = z.infer<typeof optionsSchema>
export type ModelOption = keyof ModelSettings
export const MODEL_OPTIONS = Object.keys(modelOptions) as ModelOption[]

type Api = ReturnType<typeof apiOf>

const EVERYWHERE = { temperature: 'temperature', top_p: 'top_p', tool_choice: 'tool_choice' }

/** What each interface calls an option in its body. One that is not named here it does not have. */
export const optionNames: Record<Api, Partial<Record<ModelOption, string>>> = {
	responses: {
		...EVERYWHERE,
		max_tokens: 'max_output_tokens',
		effort: 'reasoning.effort',
		parallel_tool_calls: 'parallel_tool_calls',
		strict: 'text.format',
		web_search: 'web_search',
	},
	chat: {
		...EVERYWHERE,
		seed: 'seed',
		stop: 'stop',
		max_tokens: 'max_completion_tokens',
		effort: 'reasoning_effort',
		parallel_tool_calls: 'parallel_tool_calls',
		strict: 'response_format',
		web_search: 'web_search_options',
	},
	messages: {
		...EVERYWHERE,
		stop: 'stop_sequences',
		max_tokens: 'max_tokens',
		effort: 'output_config.effort',
		thinking_tokens: 'thinking.budget_tokens',
		parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
		strict: 'output_config.format',
		citations: 'citations',
		web_search: 'web_search',
	},
}

/** For people. */
const interfaceNames: Record<Api, string> = {
	responses: "OpenAI's `responses`",
	chat: "OpenAI's `chat`",
	messages: "Anthropic's `messages`",
}

const hints: Partial<Record<ModelOption, string>> = {
	seed: ' (`api: chat` has it)',
	stop: ' (`api: chat` and Anthropic have it)',
	thinking_tokens: ': write `effort`',
	citations: ': only Anthropic cites files. Citations of web search come by themselves',
}

/** What of a model is an option of its calls. */
export function optionsOf(model: object): ModelSettings {
	return Object.fromEntries(
		MODEL_OPTIONS.flatMap((name) => {
			const value = (model as ModelSettings)[name]
			return value === undefined ? [] : [[name, value]]
		}),
	)
}

export interface OptionFault {
	option: ModelOption
	message: string
}

/** Options that this interface does not take, or not so. `parameters`: of the same place. */
export function optionFaults(
	api: Api,
	options: ModelSettings,
	parameters: Record<string, unknown> = {},
): OptionFault[] {
	const faults: OptionFault[] = []
	for (const option of MODEL_OPTIONS.filter((name) => options[name] !== undefined)) {
		const name = optionNames[api][option]
		const tell = (message: string) => faults.push({ option, message })
		if (name === undefined) tell(`is no option of ${interfaceNames[api]}${hints[option] ?? ''}`)
		else if (option !== 'max_tokens' && sets(parameters, name))
			tell(`stands in \`parameters\`, too (${name}): write it once`)
	}
	const { temperature = 0, effort = 'low', thinking_tokens = 0, max_tokens = Infinity } = options
	if (api === 'messages' && temperature > 1)
		faults.push({ option: 'temperature', message: 'goes up to 1 at Anthropic' })
	if (api === 'messages' && (effort === 'none' || effort === 'minimal'))
		faults.push({ option: 'effort', message: `begins with low at Anthropic, which has no ${effort}` })
	if (thinking_tokens >= max_tokens)
		faults.push({ option: 'thinking_tokens', message: 'are part of max_tokens and must be fewer' })
	if (options.citations && options.strict)
		faults.push({ option: 'citations', message: 'excludes `strict: true`: Anthropic refuses both together' })
	const search = searchOf(options)
	for (const message of search ? searchFaults(api, search) : [])
		faults.push({ option: 'web_search', message })
	for (const name of search ? SEARCH_PARAMETERS : [])
		if (sets(parameters, name))
			faults.push({
				option: 'web_search',
				message: `writes \`${name}\` itself: leave it out of \`parameters\``,
			})
	if (search && sets(parameters, 'max_tool_calls'))
		faults.push({ option: 'web_search', message: 'has max_uses in place of the parameter max_tool_calls' })
	return faults
}

/** These parameters hold a member of this name, such as `reasoning.effort`, or what it would replace. */
export function sets(parameters: Record<string, unknown>, name: string): boolean {
	const [first = '', rest] = name.split('.')
	const value = Object.hasOwn(parameters, first) ? parameters[first] : undefined
	if (value === undefined) return false
	if (rest === undefined || first === 'tool_choice' || typeof value !== 'object' || value === null)
		return true
	return Object.hasOwn(value, rest)
}

/** Options that a program gave; text: what is wrong with them. */
export function readOptions(value: unknown): ModelSettings | string {
	const read = optionsSchema.safeParse(value, { error: plainWords })
	if (read.success && searchOf(read.data))
		return 'web_search: only agent.yaml turns it on; a call may leave it out with web_search: false'
	if (read.success) return read.data
	const [issue] = read.error.issues
	const name = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : String(issue?.path[0] ?? '')
	return `${name}: ${issue?.message ?? 'is wrong'}`
}
