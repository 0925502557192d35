/** A run of an agent in the real engine and a real sandbox, with a scripted model and scripted tools (`berth test`). */
import type { Decision } from '../../wire/host-calls.ts'
import type { Entry, RunOutcome, Usage } from '../../wire/journal.ts'
import type { Citation, ModelStop, ToolCall } from '../../wire/model.ts'
import type { ModelRequest } from '../providers/index.ts'
import type { TrialFile } from './files.ts'

/** One answer of a scripted model. */
export interface Turn {
	text?: string
	calls?: { name: string; input?: unknown; id?: string }[]
	stop?: ModelStop
	usage?: { input_tokens?: number; output_tokens?: number }
	citations?: Citation[]
	/** In place of an answer. */
	error?: { code: 'provider_auth_failed' | 'provider_rate_limited' | 'provider_unavailable'; message: string }
}

/** What a scripted tool answers: text, or a value that the model reads as JSON. */
export interface ScriptedReply {
	ok: boolean
	output: string
	structured?: unknown
}

export interface ScriptedRequest {
	method: string
	url: string
	headers: Record<string, string>
	body?: string
}
export interface ScriptedResponse {
	status: number
	headers: Record<string, string>
	body: string
}

export interface Asked {
	question: string
	arguments: unknown
	tool?: string
	connector?: string
	kind?: string
}

export interface TrialRequest {
	digest: string
	bundle: Uint8Array
	/** Canonical JSON. */
	inputs: string
	memory: Record<string, string>
	/** Of the inputs. */
	files: TrialFile[]
	/** `call`: 0 for the first of the run. What it throws ends the trial with just that error. */
	model(request: ModelRequest, call: number): Promise<Turn> | Turn
	tool(connector: string, name: string, input: unknown): Promise<ScriptedReply> | ScriptedReply
	/** A request of `ctx.http`, with the secrets of a trial in it. */
	http(request: ScriptedRequest): Promise<ScriptedResponse> | ScriptedResponse
	/** A vector for each text. */
	embed(texts: string[]): Promise<number[][]> | number[][]
	/** Schemas of scripted tools that have one. */
	schemaOf(connector: string, name: string): object | undefined
	approve(asked: Asked): Promise<Decision> | Decision
}

export interface Trial {
	outcome: RunOutcome
	usage: Usage
	entries: Entry[]
	/** What the model was sent, by call. */
	requests: ModelRequest[]
	/** The agent's memory afterwards. */
	memory: Record<string, string>
	/** That the run made, by name. */
	files: Record<string, Uint8Array>
}

export type { ModelRequest, ToolCall }
