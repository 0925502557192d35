import type { Spent } from '../../wire/agent-calls.ts'
import { boundedWords } from './words.ts'

/** Connectors are remote MCP servers. Connections are kept open between runs; each belongs to one credential version. */

export interface ConnectorTarget {
	deployment: string
	/** Canonical URL (`canonicalUrl`). */
	url: string
	/** Version of the credential; 0 where the connector has none. A connection belongs to one version. */
	credentialVersion: number
	/**
	 * The bearer token, asked for at every request. After a 401 asked once more with `refused`, the token that was turned
	 * away: a supplier that can refresh answers with another. Absent for `auth: none`.
	 */
	token?: (refused?: string) => Promise<string>
	/** Hears whether the server took a token that it was sent at `sentAt`. Never rejects. */
	answered?: (taken: boolean, token: string, sentAt: number) => Promise<void>
	/**
	 * Hears that the server turned a request away for want of this scope, which is empty where it names none. Answers with
	 * what helps. Never rejects.
	 */
	lacks?: (token: string, scope: string) => Promise<Lack>
}

/**
 * What a 403 for want of a scope says of the sign-in: it lacks that scope, has it all the same, or the server names none.
 * `token`: one that the owner uploaded, whose scope nobody here knows.
 */
export type Lack = 'lacks' | 'has' | 'unnamed' | 'token'

/** A tool as its server offers it. */
export interface RemoteTool {
	name: string
	description: string
	/** JSON Schema. */
	input: object
	output?: object
	/** Hints of the server (MCP annotations); they make a call repeatable for this host's own guard only. */
	readOnly: boolean
	idempotent: boolean
	/** It answers with a task of MCP alone, which nobody here can follow: it is not called. */
	needsTask: boolean
	/** Its server is an agent of a Berth, as it says. */
	agent: boolean
	/** `sha256:` of the canonical JSON of name, description, input and output schema, and `agent` if it is one (tool lock). */
	hash: string
	/** As `hash`, of no agent. */
	plainHash: string
	/** Of the schemas and `agent` only. */
	schemaHash: string
}

export interface ToolListing {
	/** Those of `wanted` that are offered, in the order of `wanted`. */
	tools: RemoteTool[]
	/** Those of `wanted` that are not. */
	missing: string[]
}

export interface ConnectorCallOptions {
	signal: AbortSignal
	timeoutMs: number
	/** The tool may be called twice: a connection that breaks in the middle is answered with one more try. */
	repeatable?: boolean
	/** Goes along as the call's `_meta`. */
	meta?: Record<string, unknown>
	/** The call was made before and was answered with questions: it is made again, with the answers. */
	resumed?: Resumed
	/**
	 * Puts a question of an older server before a person while the call stays open; its time-out stands still meanwhile.
	 * `signal`: the server no longer waits for the answer. Never rejects. Without it every question is answered `cancel`.
	 */
	ask?: (question: Question, signal: AbortSignal) => Promise<QuestionAnswer>
}

/** What a server asks a person: to fill in a form, or to visit an address. */
export interface Question {
	message: string
	/** Of the form: a JSON Schema. */
	schema?: object
	url?: string
}

export interface QuestionAnswer {
	action: 'accept' | 'decline' | 'cancel'
	content?: Record<string, unknown>
}

/** The call goes on when it is made again with all the answers. */
export interface ToolAsks {
	/** `key`: the server's own name for the question. */
	questions: (Question & { key: string })[]
	/** To be sent back with the answers, as it is. */
	state?: string
}

export interface Resumed {
	answers: (QuestionAnswer & { key: string })[]
	state?: string
}

export interface ToolReply {
	/** False: the tool ran and reported a failure, or its result cannot be used; `output` says which. */
	ok: boolean
	/** What the model reads. */
	output: string
	structured?: unknown
	/** Images and other bytes of its result; `output` names them in this order. */
	files?: { name: string; type: string; base64: string }[]
	/** What an agent reports to have used for it. */
	spent?: Spent
	/** The tool is not done: it asks. Whoever cannot go on with that takes it as the failure that it is here. */
	asks?: ToolAsks
}

export interface Connectors {
	/** Answered from memory while the server's ttl (or ours) lasts and it has announced no change. */
	list(
		target: ConnectorTarget,
		wanted: string[],
		options: { signal: AbortSignal; timeoutMs: number; refresh?: boolean },
	): Promise<ToolListing>
	/** `tool` is the server's own name for it and must have been listed for this target. */
	call(
		target: ConnectorTarget,
		tool: string,
		input: unknown,
		options: ConnectorCallOptions,
	): Promise<ToolReply>
	/** Stopped or deleted: closes the deployment's connections. */
	drop(deployment: string): void
	close(): Promise<void>
}

export type ConnectorCode = 'connector_unavailable' | 'connector_not_connected' | 'tool_missing'

/**
 * `reason` is for the engine: `unauthorized` marks the credential, `unknown` says that the call may have been executed
 * (the connection ended, the time ran out after the request left, or what came back was no answer). `message` is in our
 * own words alone, for it reaches programs, models, run errors and logs. `said` is the server's, bounded: for the owner,
 * and of no tool whose results are screened. Neither holds a token.
 */
export class ConnectorError extends Error {
	readonly code: ConnectorCode
	readonly reason: 'refused' | 'unreachable' | 'unauthorized' | 'protocol' | 'unknown' | 'missing'
	readonly said: string | undefined
	/** The server did not begin the call, and may be asked again after this time. */
	readonly waitMs: number | undefined
	/** No connection could be made: nobody listens there. */
	readonly away: boolean
	constructor(
		code: ConnectorCode,
		reason: ConnectorError['reason'],
		message: string,
		{
			said,
			waitMs,
			away = false,
			...options
		}: ErrorOptions & { said?: string; waitMs?: number | undefined; away?: boolean } = {},
	) {
		super(message, options)
		this.code = code
		this.reason = reason
		this.said = said && boundedWords(said)
		this.waitMs = waitMs
		this.away = away
	}
}
