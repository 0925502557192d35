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

/** Why an answer ended so, where that is neither the model's will nor the limit of its output. */
export type StopCause = 'content_filter' | 'context_window'

/**
 * What an answer rests on, as its provider says. Positions in the answer count from 0, and the end is not included; they
 * are absent where the answer is a value and no text.
 */
export interface Citation {
	type: 'url_citation' | 'file_citation'
	title: string | null
	/** Of a page that web search found. */
	url?: string
	/** Id of a file that the model was shown. */
	file?: string
	/** As it stands in the source; OpenAI does not tell it. */
	cited_text?: string
	start_index?: number
	end_index?: number
	/** In a PDF, from 1; the end is not included. */
	start_page_number?: number
	end_page_number?: number
	/** In a text file, from 0; the end is not included. */
	start_char_index?: number
	end_char_index?: number
}

/** One step of the provider's own search. */
export interface Search {
	action: 'search' | 'open_page' | 'find_in_page'
	query?: string
	/** Of the page that was opened. */
	url?: string
	/** Of the pages that were found, where the provider tells. */
	found?: string[]
	/** Why it failed: the provider's own code. */
	error?: string
}
