/**
 * Messages between host and runtime about connectors: sign-ins kept fresh (spec connect.one-refresh), and the tool lock
 * (spec connector.lock).
 */
import type { SealedCredential } from './runtime-calls.ts'

/** By connector and the server's name of the tool: the digest of the definition that was locked. */
export type ToolLocks = Record<string, Record<string, string>>

/** A tool as its server offers it. `hash` is what a lock compares: for this host's own guard, of the schemas only. */
export interface ToolDefinition {
	name: string
	hash: string
	/** Name, description, input and output schema. */
	definition: Record<string, unknown>
	/** What of it cannot work here, in a sentence. */
	warning?: string
}

/** What a connector offers of the tools that an agent requires. */
export interface ToolOffer {
	connector: string
	tools: ToolDefinition[]
	missing: string[]
	/** Why nobody knows, where it could not be asked; `tools` and `missing` are then empty. */
	error: { code: string; message: string } | null
}

export interface ConnectorHostCalls {
	/**
	 * Asks to be the one that refreshes this version of a sign-in. `changed`: there is a newer one already. `wait`: another
	 * host is at it. `gone`: there is nothing to refresh.
	 */
	'credential.lease': (a: {
		deployment: string
		name: string
		version: number
	}) => { status: 'yours' | 'wait' | 'gone' } | { status: 'changed'; credential: SealedCredential }
	/**
	 * Stores a refreshed sign-in if `version` is still the one stored, and only then is it used. Answers with what is
	 * stored now: an owner's new sign-in wins. Null: there is none any more.
	 */
	'credential.store': (a: { deployment: string; name: string; version: number; jwe: string }) => {
		credential: SealedCredential | null
	}
	/** Ends the lease without a new sign-in. `refused`: the server's words; the owner must sign in again. Answers like `store`. */
	'credential.release': (a: {
		deployment: string
		name: string
		version: number
		refused: string | null
	}) => {
		credential: SealedCredential | null
	}
	/** Locks tools that have no lock, and answers with all locks of that connector. */
	'tools.lock': (a: { deployment: string; connector: string; tools: ToolDefinition[] }) => {
		locks: Record<string, string>
	}
}
