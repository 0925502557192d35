import { type ChosenModel, type ModelSettings, readOptions } from '../../../../bundles/index.ts'
import type { Message } from '../../../wire/model.ts'
import { EffectRejection, RunFailure } from '../failure.ts'
import type { Run } from '../run.ts'
import { argsOf, malformed } from './handler.ts'

export interface ModelArgs {
	/** To be asked in turn. */
	chain: ChosenModel[]
	system: string
	messages: Message[]
	tools: string[] | undefined
	parameters: Record<string, unknown> | undefined
	/** Of this call alone. */
	options: ModelSettings
	output: object | undefined
}

const NAME_MAX_CHARS = 200

/** Checked by hand: every run does this for every call. Values inside a message that only the provider reads are its own. */
export function modelArgs(run: Run, text: string): ModelArgs {
	const { messages, system, tools, model, parameters, options = {}, output } = argsOf<'model'>(text)
	if (!Array.isArray(messages) || !messages.every(isMessage)) throw malformed('have no proper `messages`')
	if (system !== undefined && typeof system !== 'string') throw malformed('have a `system` that is no text')
	if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === 'string'))) {
		throw malformed('have `tools` that are no names')
	}
	if (parameters !== undefined && !isObject(parameters))
		throw malformed('have `parameters` that are no object')
	if (output !== undefined && !isObject(output)) throw malformed('have an `output` that is no schema')
	if (output) run.bundle.validateAnswer(output)
	const read = readOptions(options)
	if (typeof read === 'string')
		throw new EffectRejection('agent_error', `An option of a model call: ${read}.`)
	return {
		messages,
		system: system ?? '',
		tools,
		parameters,
		options: read,
		output,
		chain: chainOf(run, model),
	}
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isMessage(value: unknown): value is Message {
	if (!isObject(value) || typeof value.content !== 'string') return false
	if (value.role !== 'assistant' && !isFiles(value.files)) return false
	if (value.role === 'user') return true
	if (value.role === 'tool') return typeof value.tool_call_id === 'string' && typeof value.name === 'string'
	if (value.role !== 'assistant') return false
	const { tool_calls: calls } = value
	return calls === undefined || (Array.isArray(calls) && calls.every(isToolCall))
}

const isFiles = (files: unknown) =>
	files === undefined ||
	(Array.isArray(files) && files.every((one) => isObject(one) && typeof one.file === 'string'))

function isToolCall(value: unknown): boolean {
	return isObject(value) && typeof value.id === 'string' && typeof value.name === 'string'
}

/**
 * One of `models`, or another model at the address of `model`: never another provider than agent.yaml names, least of all
 * the platform's.
 */
function chainOf({ bundle }: Run, choice: unknown): ChosenModel[] {
	const own = bundle.models.get(undefined) as [ChosenModel, ...ChosenModel[]]
	if (choice === undefined || choice === null) return own
	if (typeof choice === 'string') {
		const named = bundle.models.get(choice)
		if (named) return named
		const names = Object.keys(bundle.agent.models ?? {}).join(', ') || 'nothing'
		throw new EffectRejection(
			'agent_error',
			`The program asked for the model "${choice.slice(0, NAME_MAX_CHARS)}"; \`models\` has ${names}.`,
		)
	}
	if (!isObject(choice)) throw malformed('have a `model` that is no object')
	const [{ model, ...first }] = own
	const { provider = model.provider, name } = choice
	if (provider === 'platform') {
		throw new RunFailure(
			'platform_provider_refused',
			"The program asked for the platform's own provider; agents run on their owner's key.",
		)
	}
	if (provider !== model.provider) {
		throw new RunFailure(
			'agent_error',
			`The program asked for another provider than the agent's (${model.provider}).`,
		)
	}
	if (name === undefined) return own
	if (typeof name !== 'string' || name === '' || name.length > NAME_MAX_CHARS) {
		throw malformed('have a `model` whose name is no text')
	}
	return [{ ...first, model: { ...model, name } }]
}
