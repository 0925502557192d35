/** For tests of an agent: `berth test`, or any runner on Node 24 where `berth` is installed. Nothing leaves the machine. */
import type {
	Citation,
	ConnectorTool,
	GivenInputs,
	Json,
	JsonSchema,
	Message,
	ModelCallOptions,
	Output,
	ToolName,
} from './index.d.ts'

/** One answer of the scripted model: its text, the tools that it asks for, or a failure of the provider. */
export type Turn =
	| string
	| {
			text?: string
			calls?: { name: ToolName | BuiltinTool; input?: Json; id?: string }[]
			stop?: 'end' | 'tool_calls' | 'length' | 'refusal'
			usage?: { input_tokens?: number; output_tokens?: number }
			/** Of the provider's own search, or of files. */
			citations?: Citation[]
	  }
	| {
			error: {
				code: 'provider_auth_failed' | 'provider_rate_limited' | 'provider_unavailable'
				message: string
			}
	  }
/** Of the standard loop, where the agent has skills or memory. */
type BuiltinTool = 'skill' | 'memory'

/** What the model was sent in one call. */
export interface ModelRequest {
	model: string
	system: string
	messages: Message[]
	tools: { name: string; description: string; input: JsonSchema }[]
	output?: JsonSchema
	/** Of the agent and of the call. */
	options?: Omit<ModelCallOptions, 'web_search'> & { web_search?: boolean | { [name: string]: Json } }
	parameters: { [name: string]: Json }
}

/** `call`: 0 for the first of the run. */
export type Model = (request: ModelRequest, call: number) => Turn | Promise<Turn>
/** Answers in order. A call after the last one fails the test. */
export declare function script(turns: readonly Turn[]): Model

/** What a scripted tool answers: text, or a value. An error that it throws is a failed call. */
export type ToolScript = Json | ((input: never) => Json | undefined | Promise<Json | undefined>)

export interface RunOptions {
	model: Model
	/** Tools of connectors, by the names in `requires`. `tools.ts` runs as it is. */
	tools?: [ConnectorTool] extends [never]
		? { [name: string]: never }
		: { [Name in ConnectorTool]?: ToolScript }
	/** Answers `ctx.http`. Secrets of `agent.yaml` are `secret-of-a-test`. */
	http?: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>
	/** Answers `ctx.embed`: a vector for each text. */
	embed?: (texts: string[]) => number[][] | Promise<number[][]>
	/** In place of the agent's `memory/` folder. */
	memory?: { [path: string]: string }
	/** What a person decides. Without it, a question fails the test. */
	approve?: boolean | ((asked: Asked) => Decision | Promise<Decision>)
	/** The agent's folder. Unset: that of the test file, or the nearest above it with an agent.yaml. */
	agent?: string
}

/** As the origin gets it. */
export interface HttpRequest {
	method: string
	url: string
	headers: { [name: string]: string }
	body?: string
}
/** `json` is sent as such; `status` is 200 unless set. */
export interface HttpResponse {
	status?: number
	headers?: { [name: string]: string }
	text?: string
	json?: Json
}

export interface Asked {
	question: string
	arguments: unknown
	tool?: string
}
export type Decision = boolean | { approved: boolean; note?: string; content?: { [name: string]: Json } }

export interface Call {
	name: string
	input: unknown
	ok: boolean
	/** What the model read; absent where the run ended first. */
	output?: string
}

/** As the host shows them: `run.started`, `model.completed`, `tool.started`, `log` … */
export interface RunEvent {
	seq: number
	at: number
	type: string
	data: { [name: string]: unknown }
}

export interface RunResult {
	output: Output
	/** Tool calls in their order, those of `tools.ts` too. */
	calls: Call[]
	/** What the model was sent. */
	requests: ModelRequest[]
	events: RunEvent[]
	logs: { level: string; message: string; data?: unknown }[]
	/** The agent's memory after the run. */
	memory: { [path: string]: string }
	/** That the run made with `ctx.files.create`, by name. */
	files: { [name: string]: Uint8Array }
	usage: {
		model_calls: number
		tool_calls: number
		failed_tool_calls: number
		input_tokens: number
		output_tokens: number
	}
}

/** A run that failed: `code` as in the API, the message with file and line of the program. */
export interface RunError extends Error {
	code: string
	run: Omit<RunResult, 'output'>
}

/** Runs the agent in the real engine and a real sandbox. Rejects with `RunError` where the run fails. */
export declare function run(inputs: GivenInputs, options: RunOptions): Promise<RunResult>

export interface Recorded extends RunOptions {
	inputs: GivenInputs
	/** What the run answered. */
	output: Output
}
/** A run that `berth test --from RUN` has written. `file`: beside the test. */
export declare function recorded(file: string): Recorded
