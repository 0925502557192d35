/** Every outbound call of the product leaves through one `Egress`: providers, connectors and webhooks alike. */

export interface EgressOptions {
	/** `EGRESS_ALLOW`: hosts, host:port, CIDR. A bad one throws at creation. */
	allow: string[]
	/**
	 * Our own guard and agents (spec egress.own-origin-paths): exactly these paths of `origin` are answered by
	 * `listener`, all others refused.
	 */
	own?: OwnListener
	/** Name resolution, connection and TLS handshake together. */
	connectMs?: number
	/** Kept-alive sockets are closed after this long without a request, or earlier where the server says so. */
	keepAliveMs?: number
	/** Likewise, of requests that are `repeatable`. */
	keepRepeatableMs?: number
	/** Where it says no, nothing is sent. */
	maySend?: () => boolean
	/** In place of the system's resolver. */
	lookup?: Lookup
}

export interface OwnListener {
	/** The origin of `BASE_URL`. */
	origin: string
	/** The origin of `PLACE_URL`, if it is another: the agents of this place are there. */
	place?: string
	/** `http://127.0.0.1:<port>` of this host. */
	listener: string
	paths: string[]
	/** Regular expression of further paths. */
	pattern?: string
}

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>

export type ResponseHeaders = Record<string, string | string[] | undefined>

export interface EgressRequest {
	method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
	headers: Record<string, string>
	body?: string | Uint8Array
	signal?: AbortSignal
	/**
	 * May be made twice. A server may close a kept connection in the moment of a request: this one is then made once
	 * more, so its connections can be kept for longer, which saves handshakes.
	 */
	repeatable?: boolean
	/** Longest wait for the response headers, connecting included. */
	headersMs: number
	/** Longest silence between two chunks of the body that carry something; 0: as long as the connection lives. */
	idleBodyMs: number
	/** From the request to the last byte, however steadily they come. */
	totalMs?: number
	/** Largest body; over it the call rejects `egress_too_large`. */
	maxBytes: number
}

/** `onHead` comes first and once; what either of them throws ends the connection and is what the call rejects with. */
export interface BodyReader {
	onHead?: (head: ResponseHead) => void
	/** False: the chunk carries nothing (a comment that keeps the connection open), and the silence goes on. */
	onChunk: (chunk: Buffer) => unknown
}

export interface ResponseHead {
	status: number
	headers: ResponseHeaders
}

export interface Egress {
	/** Resolves once the body has ended whole. A redirect is an answer like any other: no call ever follows one. */
	stream(url: string | URL, request: EgressRequest, reader: BodyReader): Promise<ResponseHead>
	text(url: string | URL, request: EgressRequest): Promise<ResponseHead & { text: string }>
	/** For libraries that take a `fetch`. Bounds: `fetchLimits`. */
	fetch: typeof globalThis.fetch
	/** Ends every connection. Idempotent. */
	close(): Promise<void>
}

/**
 * `egress_refused`: the address is not allowed, nothing was sent. `egress_unreachable`: no connection, nothing was sent.
 * `egress_broken`: the connection failed after the request may have been read. `egress_timeout`: likewise, by silence.
 */
export type EgressCode =
	| 'egress_refused'
	| 'egress_unreachable'
	| 'egress_broken'
	| 'egress_timeout'
	| 'egress_too_large'

export class EgressError extends Error {
	readonly code: EgressCode
	/** The request had no connection yet. */
	readonly unsent: boolean
	/** A connection that had served before ended before an answer began. */
	readonly stale: boolean
	/** The request was made once more already. */
	repeated = false
	constructor(
		code: EgressCode,
		message: string,
		options: ErrorOptions & { unsent?: boolean; stale?: boolean } = {},
	) {
		super(message, options)
		this.code = code
		this.stale = options.stale ?? false
		this.unsent = options.unsent ?? (code === 'egress_refused' || code === 'egress_unreachable')
	}
}
