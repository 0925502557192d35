/**
 * The effects a guest may ask for, by method. The guest program sends them, the engine answers them; both sides of this
 * table are JSON. `reply: none` methods are numbered like the others but nothing is delivered for them.
 */
import type { FileInfo } from './files.ts'
import type { Citation, Message, ModelStop, StopCause, ToolDefinition } from './model.ts'

export interface Effects {
	/** reply: none. The functions of `tools.ts` that this run offers; sent once, before the first `model`. */
	'tools.declare': { args: { tools: ToolDefinition[] }; reply: never }
	/** Connector tools (only those listed in `requires`) and declared ones. */
	'tools.list': { args: Record<string, never>; reply: { tools: ToolDefinition[] } }
	/** One model call. Tools are named, not defined: the runtime adds the definitions it knows. Omitted = all. */
	model: {
		args: {
			messages: Message[]
			system?: string
			tools?: string[]
			/** Text: one of `models` in agent.yaml. */
			model?: ModelChoice | string
			parameters?: Record<string, unknown>
			/** Options of this call (bundles/model-options.ts); absent where none is set. */
			options?: object
			output?: object
		}
		reply: {
			message: Extract<Message, { role: 'assistant' }>
			stop: ModelStop
			why?: StopCause
			/** Why the answer is no value of `output`; absent where it is one, or asks for tools or refuses. */
			fault?: string
			/** That answered, as its provider names it. */
			model: string
			usage: { input_tokens: number; output_tokens: number }
			/** Absent where it cites nothing. */
			citations?: Citation[]
		}
	}
	/** Vectors of texts, by a model of `models`. */
	embed: {
		args: { model: string; input: string[] }
		reply: { vectors: number[][]; model: string; usage: { input_tokens: number } }
	}
	/** A connector tool. `output` is what the model shall read; `structured` is the tool's structuredContent. */
	'tool.call': {
		args: { name: string; input: unknown; call_id?: string }
		reply: { ok: boolean; output: string; structured?: unknown; files?: FileInfo[] }
	}
	/** A tool of `tools.ts` is about to run in the guest: the runtime checks name, count and input first. */
	'tool.local': { args: { name: string; input: unknown; call_id?: string }; reply: { run: true } }
	/** reply: none. Its end, for the event. */
	'tool.local.done': { args: { started: number; ok: boolean; output: string }; reply: never }
	'memory.list': {
		args: { path?: string }
		reply: { entries: { path: string; size: number; version: number }[] }
	}
	'memory.read': { args: { path: string }; reply: { content: string; version: number } }
	'memory.write': { args: { path: string; content: string; version?: number }; reply: { version: number } }
	'memory.delete': { args: { path: string; version?: number }; reply: Record<string, never> }
	/** A request to an origin that `agent.yaml` declares. The response has `text`, or `base64` where its body is no UTF-8. */
	http: {
		args: {
			method?: string
			url: string
			headers?: Record<string, string>
			body?: string
			base64?: string
			timeout_ms?: number
		}
		reply: { status: number; headers: Record<string, string>; text?: string; base64?: string }
	}
	/** The journal has a stand-in for the bytes: the file, and which of them. */
	'files.read': {
		args: { file: string; as: 'text' | 'base64'; start?: number; end?: number }
		reply: { text?: string; base64?: string }
	}
	'files.create': { args: { name: string; type: string; base64: string }; reply: FileInfo & { url: string } }
	approve: { args: { question: string; data?: unknown }; reply: { approved: boolean; note: string | null } }
	/** reply: none. */
	log: { args: { level: 'debug' | 'info' | 'warn' | 'error'; message: string; data?: unknown }; reply: never }
}

/** Nothing is delivered for these. */
export const WITHOUT_REPLY: ReadonlySet<string> = new Set<keyof Effects>([
	'tools.declare',
	'tool.local.done',
	'log',
])

/** `agent.ts` may ask for another model of the same provider and address; another provider is refused. */
export interface ModelChoice {
	provider?: string
	name?: string
}

/** What a rejected effect carries into the guest, and what `done` carries out of it. */
export interface EffectError {
	code: string
	message: string
}
