/** Every outbound call of the product leaves through one `Egress`: providers, connectors and webhooks alike. */
import type { Readable } from 'node:stream'

export interface EgressOptions {
	/** `EGRESS_ALLOW`: hosts, host:port, CIDR. A bad one throws at creation. */
	allow: string[]
	/** Our own guard (contract 9): exactly these paths of `origin` are answered by `listener`, all others refused. */
	own?: OwnListener
	/** Connection and TLS handshake. */
	connectMs?: number
	/** Kept-alive sockets are closed after this long without a request. */
	idleMs?: number
	/** In place of the system's resolver. */
	lookup?: Lookup
}

export interface OwnListener {
	/** The origin of `BASE_URL`. */
	origin: string
	/** `http://127.0.0.1:<port>` of this host. */
	listener: string
	paths: string[]
}

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>

export interface EgressRequest {
	method: 'GET' | 'POST' | 'DELETE' | 'PUT'
	headers: Record<string, string>
	body?: string | Uint8Array
	signal?: AbortSignal
	/** Longest wait for the response headers. */
	headersMs: number
	/** Longest silence between two chunks of the body. */
	idleBodyMs: number
}

export interface EgressResponse {
	status: number
	headers: Record<string, string | string[] | undefined>
	/** Must be read to its end or destroyed. A redirect is an answer like any other and never followed. */
	body: Readable
}

export interface Egress {
	request(url: string | URL, request: EgressRequest): Promise<EgressResponse>
	/** The whole body as text; over `maxBytes` rejects `egress_too_large`. */
	text(
		url: string | URL,
		request: EgressRequest & { maxBytes: number },
	): Promise<{ status: number; headers: EgressResponse['headers']; text: string }>
	/** For libraries that take a `fetch`. Redirects are not followed: a 3xx is returned as it is. */
	fetch: typeof globalThis.fetch
	/** Ends kept connections. Idempotent. */
	close(): Promise<void>
}

/**
 * `egress_refused`: the address is not allowed; nothing was sent. `egress_unreachable`: no connection, nothing was sent.
 * `egress_broken`: the connection ended or failed after the request may have been read. `egress_timeout`: no answer in time.
 */
export type EgressCode =
	| 'egress_refused'
	| 'egress_unreachable'
	| 'egress_broken'
	| 'egress_timeout'
	| 'egress_too_large'

export class EgressError extends Error {
	readonly code: EgressCode
	constructor(code: EgressCode, message: string, options?: ErrorOptions) {
		super(message, options)
		this.code = code
	}
}
