import type { FastifyBaseLogger } from 'fastify'
import type { Sql as PostgresSql } from 'postgres'
import type { Judge } from './judge/types.ts'
import type { Platform } from './platform.ts'

/** Everything the connector is handed; it imports no other room. */
export interface ConnectorDeps {
	/** `{base_url}`, without a slash at its end. */
	baseUrl: string
	/** Of browser clients that may call `/mcp` beside the host's own, as browsers write them; `*`: all. */
	origins: string[]
	platform: Platform
	judge: Judge
	sql: Sql
	listen: Listen
	/** Whether the database may well answer later, of an error that it caused; null: no. */
	unavailable: (error: unknown) => Unavailable | null
	/** Guarded: reaches public addresses only; rejects where there was no answer. For Client ID Metadata Documents. */
	fetch: typeof globalThis.fetch
	/** Of those documents. `auto`: announced while they can be fetched. */
	clientMetadata: 'auto' | 'on' | 'off'
	/** False: this machine has no way to addresses beyond its own networks. */
	online: () => boolean
	secrets: Secrets
	/** Agents of this host, whose MCP servers take tokens of the same authorization server; unset: none. */
	agents?:
		| {
				/** Whether this is the address of an agent's MCP server, there or not. */
				isAddress: (resource: string) => boolean
				find: (resource: string) => Promise<{ name: string; accountId: string } | null>
		  }
		| undefined
	/** Another way to the browser's session at the Platform than a password; unset: none. */
	otherSignIn?: { name: string; href: (returnTo: string) => string } | undefined
	/** `testers`: any other account signs in, and its first call is refused. */
	access: 'testers' | 'everyone'
	log: FastifyBaseLogger
	/** Whose doing an address's is: itself, or its /64. */
	networkOf: (address: string) => string
	/** The time that all hosts share, in ms; unset: this machine's. */
	now?: () => number
	/** In its place, and for windows in place of the database's own, in tests. */
	clock?: () => number
	accessTokenSeconds?: number
	/**
	 * Begins a call in a trace; answers how to end it, with a code where it failed. `traceparent`: its caller's, not yet
	 * believed. Unset: there are no traces.
	 */
	trace?: ((tool: string, traceparent: unknown) => (error: string | null) => void) | undefined
	/** Told of each call that has ended; `answer` null: it was refused, or failed. */
	called?:
		| ((call: { tool: string; seconds: number; answer: Record<string, unknown> | null }) => void)
		| undefined
	/** Registrations that nobody has authorized, at the most. */
	unusedClients?: number
}

export interface Unavailable {
	/** In words for a caller. */
	detail: string
	retryAfterSeconds: number
}

/** The host's client reads `bigint` as a number. */
export type Sql = PostgresSql<{ bigint: number }>

/** Hears a channel until stopped; `onListen` runs at the start and after each reconnect, when notices may be lost. */
export type Listen = (
	channel: string,
	onNotify: (payload: string) => void,
	onListen?: () => void,
) => Promise<{ stop: () => Promise<void> }>

/** Encryption under the master key. */
export interface Secrets {
	wrap(plain: string): Promise<string>
	unwrap(wrapped: string): Promise<string>
}
