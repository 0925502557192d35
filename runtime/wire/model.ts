/** What is said to a model and by it, in one shape for all providers. What only one of them has travels in `provider`, opaque, and is sent back as it came. */

export interface ToolDefinition {
	name: string
	description: string
	/** JSON Schema of the input. */
	input: object
}

export interface ToolCall {
	id: string
	name: string
	input: unknown
	/** The model's arguments were no JSON object: the loop answers the call with this as its error. */
	input_error?: string
}

export type Message =
	| { role: 'user'; content: string }
	| { role: 'assistant'; content: string; tool_calls?: ToolCall[]; provider?: unknown }
	| { role: 'tool'; tool_call_id: string; name: string; content: string; is_error?: boolean }

export type AssistantMessage = Extract<Message, { role: 'assistant' }>

export type ModelStop = 'end' | 'tool_calls' | 'length' | 'refusal'
