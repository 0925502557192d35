/**
 * What the programs of an agent may use. They run in an isolate of their own: no network, no files, no timers, no Node.
 * What is outside is reached through `ctx`, and everything `ctx` does is recorded, so that a run can be replayed: clock
 * and random numbers are the run's own.
 */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * What Berth knows of this agent. The agent.d.ts that `berth init` and `berth test` write fills it in from agent.yaml.
 * Without it, names and inputs are not checked.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled in by declaration merging
export interface Agent {}
type Known<Name extends string, Default> = Agent extends { [N in Name]: infer Type } ? Type : Default

/** As a program gets them: with the defaults of the schema. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known of an agent without its agent.d.ts
export type Inputs = Known<'inputs', any>
/** As a caller gives them. */
export type GivenInputs = Known<'given', { [name: string]: Json | GivenFile | GivenFile[] }>
// biome-ignore lint/suspicious/noExplicitAny: the same
export type Output = Known<'output', any>
/** Tools of connectors, as in `requires`. */
export type ConnectorTool = Known<'connectorTools', string>
/** Exports of `tools.ts`, too. */
export type ToolName = Agent extends { ownTools: infer Own } ? Extract<Own, string> | ConnectorTool : string

/** Of `models`. */
export type ModelName = Known<'models', string>

/** The schemas that a TypeScript type may have. */
export type SchemaFor<T> = [T] extends [never]
	? JsonSchema
	: unknown extends T
		? JsonSchema
		: { readonly [keyword: string]: unknown } & KeywordsFor<T>
type KeywordsFor<T> = [T] extends [string]
	? { type?: 'string'; enum?: readonly string[] }
	: [T] extends [number]
		? { type?: 'number' | 'integer'; enum?: readonly number[] }
		: [T] extends [boolean]
			? { type?: 'boolean' }
			: [T] extends [null]
				? { type?: 'null' }
				: [T] extends [readonly (infer Item)[]]
					? { type?: 'array'; items?: SchemaFor<Item> | boolean }
					: [T] extends [object]
						? {
								type?: 'object'
								required?: readonly Extract<keyof T, string>[]
								properties?: { readonly [Name in keyof T]-?: SchemaFor<Exclude<T[Name], undefined>> }
							}
						: unknown

/** A file as inputs, messages and outputs hold it: never its bytes. `file` is its id, and the rest is the host's. */
export interface FileRef {
	file: string
	name: string
	/** Media type, as its bytes say. */
	type: string
	size: number
	sha256: string
	/** In an output: where the bytes are, with the run key. */
	url?: string
}
/** As a test gives one: with its bytes. */
export type GivenFile = FileRef | { name: string; data: string | Uint8Array; type?: string }

/** A function the model may call. `input` is checked against the schema before `run` is called. */
export interface Tool<Input = never> {
	description: string
	input: SchemaFor<Input>
	/** What it returns is what the model reads: text as it is, anything else as JSON. A thrown error is a failed call. */
	run(input: Input, ctx: Context): unknown
}
/** In `skills/<name>/tools.ts`: each export is a tool, named as the export. A plain test calls its `run`. */
export declare function tool<Input>(definition: Tool<Input>): Tool<Input>

type Program<I> = (inputs: I, ctx: Context) => unknown
/** In `agent.ts`, as the default export: a program in place of the standard loop. It returns the run's output. */
export declare function agent<I = Inputs>(
	run: Inputs extends I ? Program<I> : { error: 'the inputs in agent.yaml have another type' },
): Program<I>

export interface Context {
	/** One model call: counts as one step. */
	model(messages: string | Message[], options?: ModelOptions): Promise<ModelReply>
	/**
	 * Vectors of up to 128 texts, by a model of `models` with interface OpenAI. Counts as a model call.
	 */
	embed(request: EmbedRequest): Promise<EmbedReply>
	tools: {
		/** Tools of connectors (those in `requires`) and of `tools.ts`. */
		list(): Promise<ToolInfo[]>
		/** Does not throw where the tool fails, or does not take the call: `ok` says so. Throws where a connector cannot be asked. */
		call(name: ToolName, input: Json): Promise<ToolReply>
	}
	/** The standard loop: calls the model and the tools it asks for until it answers. Resolves with that answer. */
	loop(options?: LoopOptions): Promise<Json>
	/**
	 * What the agent keeps between runs: small texts by path. `version` must still be the stored one (0: none). Without it,
	 * a write goes over what this run has read or written last, and a file it has not seen is refused (`conflict`).
	 */
	memory: {
		list(path?: string): Promise<{ path: string; size: number; version: number }[]>
		read(path: string): Promise<{ content: string; version: number }>
		write(path: string, content: string, options?: { version?: number }): Promise<{ version: number }>
		delete(path: string, options?: { version?: number }): Promise<void>
	}
	/**
	 * A request to an origin that agent.yaml declares under `http`, made by the runtime with the headers that stand there.
	 * Any status is a response; a request that has none, or is refused, throws an error with a `code` (`http_…`).
	 */
	http(request: HttpRequest): Promise<HttpResponse>
	/**
	 * Files of this run: inputs, what tools answered, and what it creates. Up to 4 MiB are read at once, and 64 MiB in one
	 * run; a longer file is read in parts.
	 */
	files: {
		/** The whole file, which is UTF-8 text. */
		text(file: FileRef): Promise<string>
		/** From `start` up to `end`, which is not included. */
		bytes(file: FileRef, range?: { start?: number; end?: number }): Promise<Uint8Array>
		/** For an output, or to show it to a model: up to 2 MiB. */
		create(name: string, type: string, data: string | Uint8Array): Promise<FileRef>
	}
	log(level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: unknown): void
	/** A line of level info. */
	log(message: string): void
	/** Asks a person and waits for the decision, for days where it must be. */
	approve(question: string, data?: unknown): Promise<{ approved: boolean; note: string | null }>
	/** `aborted` once the run is cancelled or out of time; what the program asks for is refused from then on. */
	readonly signal: { readonly aborted: boolean }
}

export interface EmbedRequest {
	model: ModelName
	input: string | string[]
}

export interface EmbedReply {
	/** One for each text, in that order. */
	vectors: number[][]
	model: string
	usage: { input_tokens: number }
}

export interface HttpRequest {
	/** GET, unless another is named. */
	method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
	/** The whole address. */
	url: string
	headers?: Record<string, string>
	/** Text as it is; anything else as JSON. */
	body?: string | Json
	/** In place of `body`: bytes. */
	base64?: string
	/** Shorter than agent.yaml allows. */
	timeout_ms?: number
}

export interface HttpResponse {
	status: number
	/** Names in lower case; without cookies. */
	headers: Record<string, string>
	/** Empty where the body is no UTF-8 text. */
	text: string
	/** The body as a value, where it is labelled as JSON and is JSON. */
	json?: Json
	/** The body where it is no UTF-8 text. */
	base64?: string
}

export type Message =
	/** `files`: shown to the model with the text. */
	| { role: 'user'; content: string; files?: FileRef[] }
	| { role: 'assistant'; content: string; tool_calls?: ToolCall[]; provider?: unknown }
	| {
			role: 'tool'
			tool_call_id: string
			name: string
			content: string
			is_error?: boolean
			files?: FileRef[]
	  }

export interface ToolCall {
	id: string
	name: string
	input: unknown
	input_error?: string
}

/** Of one model call, over those of agent.yaml. What the provider's interface does not have is refused. */
export interface ModelCallOptions {
	temperature?: number
	top_p?: number
	/** Interface `chat` only. */
	seed?: number
	/** The answer ends before any of these; not with interface `responses`. */
	stop?: string[]
	/** Longest answer, in tokens. */
	max_tokens?: number
	/** How much a model that reasons does so. Anthropic has neither `none` nor `minimal`. */
	effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
	/** Anthropic only: tokens for thinking, at least 1024. */
	thinking_tokens?: number
	/** false: one tool call in an answer at most. */
	parallel_tool_calls?: boolean
	/** `ctx.loop` forces a tool in its first call only. */
	tool_choice?: 'auto' | 'none' | 'required' | { tool: ToolName }
	/** true: the provider guarantees `output`; false: it is not asked to. Without it: where it can. */
	strict?: boolean
	/** true: the answer cites the files that it is shown. Anthropic only; excludes `strict: true`. */
	citations?: boolean
	/** Leaves out the provider's web search, which only agent.yaml turns on. */
	web_search?: false
}

export interface ModelOptions extends ModelCallOptions {
	/** In place of the agent's prompt. */
	system?: string
	/** Names of the tools it may ask for; none unless named. */
	tools?: ToolName[]
	/** One of `models`; or another model at the address of `model`, which nothing is fallen back from. */
	model?: ModelName | { name: string }
	/** On top of the agent's own. */
	parameters?: Record<string, Json>
	/** The answer shall be JSON of this schema: `reply.output` is then that value. Another answer is an error, `output_invalid`; `ctx.loop` asks once more before. */
	output?: JsonSchema
}

export interface ModelReply {
	message: Extract<Message, { role: 'assistant' }>
	/** The answer's text. */
	text: string
	/** Where a schema was asked for: the answer as a value. */
	output?: Json
	stop: 'end' | 'tool_calls' | 'length' | 'refusal'
	/** The model that answered, as its provider names it. */
	model: string
	usage: { input_tokens: number; output_tokens: number }
	/** What the answer rests on, as the provider says: of its web search, or of files with `citations: true`. */
	citations: Citation[]
}

/** Positions in the answer's text count from 0, and the end is not included. */
export interface Citation {
	type: 'url_citation' | 'file_citation'
	title: string | null
	/** Of a page that web search found. */
	url?: string
	/** Id of a file that the model was shown. */
	file?: string
	/** As it stands in the source; OpenAI does not tell it. */
	cited_text?: string
	/** Where in the answer. */
	start_index?: number
	end_index?: number
	/** In a PDF, from 1; the end is not included. */
	start_page_number?: number
	end_page_number?: number
	/** In a text file, from 0; the end is not included. */
	start_char_index?: number
	end_char_index?: number
}

export interface LoopOptions extends ModelOptions {
	/** What it begins with; without it, the inputs as the standard loop shows them. */
	messages?: string | Message[]
}

export interface ToolInfo {
	name: string
	description: string
	input: JsonSchema
}

export interface ToolReply {
	ok: boolean
	/** What the model would read. */
	output: string
	/** The same as data, where the tool gives it. */
	structured?: Json
	/** Images and other files of its result. */
	files?: FileRef[]
}
