import type { FileInfo } from './files.ts'

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

/** `files`: shown with it. From a program, so that only the id of each is believed. */
export type Message =
	| { role: 'user'; content: string; files?: FileInfo[] }
	| { role: 'assistant'; content: string; tool_calls?: ToolCall[]; provider?: unknown }
	| {
			role: 'tool'
			tool_call_id: string
			name: string
			content: string
			is_error?: boolean
			files?: FileInfo[]
	  }

export type AssistantMessage = Extract<Message, { role: 'assistant' }>

export type ModelStop = 'end' | 'tool_calls' | 'length' | 'refusal'
