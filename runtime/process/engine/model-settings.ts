/** Options and parameters of one model call: the agent's own, with those of the program on top. */
import {
	apiOf,
	type ModelSettings,
	optionFaults,
	optionNames,
	optionsOf,
	sets,
} from '../../../bundles/index.ts'
import type { ModelRequest } from '../providers/index.ts'
import { EffectRejection } from './failure.ts'
import { type Address, parametersOf } from './max-output.ts'

type Asked = Pick<ModelRequest, 'messages'> & {
	options: ModelSettings
	parameters: ModelRequest['parameters'] | undefined
}

export function settingsOf(
	address: Address,
	own: ModelSettings & { parameters?: ModelRequest['parameters'] | undefined },
	asked: Asked,
	tools: ModelRequest['tools'],
): Required<Pick<ModelRequest, 'options' | 'parameters'>> {
	const api = apiOf(address)
	const [fault] = optionFaults(api, asked.options, asked.parameters)
	if (fault)
		throw new EffectRejection('agent_error', `An option of a model call: ${fault.option} ${fault.message}.`)
	const { max_tokens: ownMost, ...ownOptions } = ownOf(own, asked, tools, optionNames[api])
	const { max_tokens: most, ...options } = asked.options
	const parameters = parametersOf(
		address,
		{ ...own.parameters, ...(ownMost !== undefined && { max_tokens: ownMost }) },
		{ ...asked.parameters, ...(most !== undefined && { max_tokens: most }) },
	)
	return { options: withTools({ ...ownOptions, ...options }, tools), parameters }
}

/** What a program writes as a parameter goes before the agent's own option. */
function ownOf(
	own: ModelSettings,
	{ messages, parameters = {} }: Asked,
	tools: ModelRequest['tools'],
	names: (typeof optionNames)['chat'],
): ModelSettings {
	const options = Object.fromEntries(
		Object.entries(optionsOf(own)).filter(([option]) => {
			const name = names[option as keyof ModelSettings]
			return name === undefined || option === 'max_tokens' || !sets(parameters, name)
		}),
	) as ModelSettings
	// Forced again after its result, the tool would be called for ever.
	const answered = messages.at(-1)?.role === 'tool'
	if (tools.length === 0 || (answered && options.tool_choice !== 'none')) delete options.tool_choice
	return options
}

/** Providers refuse a choice among no tools, and a tool that is not there. */
function withTools(options: ModelSettings, tools: ModelRequest['tools']): ModelSettings {
	const { tool_choice: choice, parallel_tool_calls: _, ...others } = options
	const named = typeof choice === 'object' ? choice.tool : undefined
	if (
		named !== undefined
			? !tools.some(({ name }) => name === named)
			: choice === 'required' && tools.length === 0
	) {
		const text = `tool_choice is ${named ?? 'required'}, and the call ${tools.length === 0 ? 'names no tools' : 'does not name that tool'}.`
		throw new EffectRejection('agent_error', text)
	}
	return tools.length === 0 ? others : options
}
