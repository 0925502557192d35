/** Options of a call as each interface takes them; typed by the vendors' own packages. */
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages'
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses'
import { type apiOf, MODEL_OPTIONS, optionNames, STRICT_SUBSET } from '../../../bundles/index.ts'
import { type ModelRequest, ProviderError } from './types.ts'

type Options = NonNullable<ModelRequest['options']>

/** Named alike everywhere. */
function sampling({ temperature, top_p }: Options) {
	return { ...(temperature !== undefined && { temperature }), ...(top_p !== undefined && { top_p }) }
}

function parallel({ parallel_tool_calls }: Options) {
	return parallel_tool_calls !== undefined && { parallel_tool_calls }
}

type ResponsesOptions = Pick<
	ResponseCreateParamsStreaming,
	'temperature' | 'top_p' | 'reasoning' | 'parallel_tool_calls' | 'tool_choice'
>

export function responsesOptions({ options = {}, parameters }: ModelRequest): ResponsesOptions {
	const { effort, tool_choice: choice } = options
	return {
		...sampling(options),
		...parallel(options),
		...(effort && { reasoning: { ...(parameters.reasoning as object), effort } }),
		...(choice && {
			tool_choice: typeof choice === 'string' ? choice : { type: 'function' as const, name: choice.tool },
		}),
	}
}

type ChatOptions = Pick<
	ChatCompletionCreateParamsStreaming,
	'temperature' | 'top_p' | 'seed' | 'stop' | 'reasoning_effort' | 'parallel_tool_calls' | 'tool_choice'
>

export function chatOptions({ options = {} }: ModelRequest): ChatOptions {
	const { seed, stop, effort, tool_choice: choice } = options
	return {
		...sampling(options),
		...parallel(options),
		...(seed !== undefined && { seed }),
		...(stop && { stop }),
		...(effort && { reasoning_effort: effort }),
		...(choice && {
			tool_choice:
				typeof choice === 'string' ? choice : { type: 'function' as const, function: { name: choice.tool } },
		}),
	}
}

type MessagesOptions = Pick<
	MessageCreateParamsStreaming,
	'stop_sequences' | 'thinking' | 'tool_choice' | 'output_config'
> &
	// Of the version before, which alone takes these.
	ReturnType<typeof sampling>

/** The least that thinking takes there. */
const THINKING_LEAST = 1024

/** `most`: tokens of the answer, of which thinking is a part. */
export function messagesOptions({ options = {}, parameters }: ModelRequest, most: number): MessagesOptions {
	const { stop, effort, thinking_tokens } = options
	const budget_tokens = thinking_tokens && Math.min(thinking_tokens, Math.max(THINKING_LEAST, most - 1))
	const choice = messagesChoice(options)
	return {
		...sampling(options),
		...(stop && { stop_sequences: stop }),
		...(budget_tokens && {
			thinking: { ...(parameters.thinking as object), type: 'enabled' as const, budget_tokens },
		}),
		...(choice && { tool_choice: choice }),
		...(effort && {
			output_config: { ...(parameters.output_config as object), effort: effort as AnthropicEffort },
		}),
	}
}

/** `optionFaults` has refused the others. */
type AnthropicEffort = NonNullable<MessageCreateParamsStreaming['output_config']>['effort']

function messagesChoice({
	tool_choice: choice = 'auto',
	parallel_tool_calls,
}: Options): MessageCreateParamsStreaming['tool_choice'] {
	if (choice === 'none') return { type: 'none' }
	const one = parallel_tool_calls === false && { disable_parallel_tool_use: true }
	if (typeof choice !== 'string') return { type: 'tool', name: choice.tool, ...one }
	if (choice === 'required') return { type: 'any', ...one }
	return one ? { type: 'auto', ...one } : undefined
}

/** What a call with `strict: true` is refused with where its schema cannot be guaranteed. */
export function notStrict(api: ReturnType<typeof apiOf>, citations: boolean | undefined): ProviderError {
	const why = citations
		? 'Anthropic guarantees no schema beside `citations`'
		: `\`output\` ${STRICT_SUBSET[api]}`
	return new ProviderError('agent_error', `strict is set, but ${why}`)
}

/** The option that a provider's refusal is about, by the name that it has in the body. */
export function blamed(api: ReturnType<typeof apiOf>, { options = {} }: ModelRequest, said: string): string {
	const option = MODEL_OPTIONS.find((name) => {
		const wire = optionNames[api][name]
		if (wire === undefined || options[name] === undefined) return false
		const leaf = wire.endsWith('.format') ? wire : (wire.split('.').at(-1) as string)
		return new RegExp(`\\b${leaf}\\b`).test(said)
	})
	return option ? ` (the option \`${option}\` of the model)` : ''
}
