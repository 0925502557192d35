/**
 * MCP's streamable HTTP under the official client, straight on the egress guard: the client's own transport goes
 * through `fetch`, web streams and header objects, which cost several times as much per call (.github/DECISIONS.md).
 * Differences that matter: a broken answer rejects its request at once instead of leaving it to its time-out, and a
 * cancelled request closes its socket in both eras.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
	isJSONRPCRequest,
	type JSONRPCMessage,
	SdkError,
	SdkErrorCode,
	SdkHttpError,
	type Transport,
	type TransportSendOptions,
} from '@modelcontextprotocol/client'
import {
	type BodyReader,
	type Egress,
	EgressError,
	type EgressRequest,
	type ResponseHead,
} from '../../egress/index.ts'
import { sharedNow } from '../../lib/clock.ts'
import { askedWaitMs } from '../../lib/retry.ts'
import type { ConnectionCredential } from './credential.ts'
import { InsufficientScope, SignInUndeclared, UnauthorizedConnector } from './failure.ts'
import { lackingScope, messageHeaders, namedScope, type Sent } from './headers.ts'
import { type AnswerReader, readAnswer } from './reader.ts'

export interface TransportOptions {
	egress: Egress
	url: string
	credential: Pick<ConnectionCredential, 'token' | 'answered' | 'lacks'>
	/** Of one answer, and of one event stream between two connections. */
	maxBytes: number
	/** Longest wait for an answer to begin, whatever the caller allows, and longest silence within one. */
	answerMs: number
	/** Whether the event stream of a session is read. */
	events: boolean
}

const BEARER = 'Bearer '
const MAX_ERROR_CHARS = 500
const RESUME_TRIES = 3
const RESUME_MS = 1_000
const END_SESSION_MS = 2_000
/** Requests of a server whose answer was not begun. */
const MAX_BROUGHT = 100

export class HttpTransport implements Transport {
	readonly hasPerRequestStream = true
	sessionId: string | undefined
	onclose: Transport['onclose']
	onerror: Transport['onerror']
	onmessage: Transport['onmessage']
	readonly #options: TransportOptions
	/** Of what is under way; requests by JSON-RPC id, the rest by itself. */
	readonly #stops = new Map<unknown, AbortController>()
	#closed = false
	#protocolVersion: string | undefined
	/** Which call's stream brought a server's question, by the question's id. */
	readonly #brought = new Map<unknown, unknown>()

	constructor(options: TransportOptions) {
		this.#options = options
	}

	async start(): Promise<void> {}

	async close(): Promise<void> {
		this.#closed = true
		for (const stop of this.#stops.values()) stop.abort()
		this.onclose?.()
	}

	setProtocolVersion(version: string): void {
		this.#protocolVersion = version
	}

	async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
		const sent = message as Sent
		const { id, method, params } = sent
		const isRequest = id !== undefined && method !== undefined
		await this.#underway(isRequest ? id : sent, options.requestSignal, (signal) =>
			this.#post(sent, options, signal),
		)
			// A subscription's end is told to who began it.
			.finally(options.onRequestStreamEnd)
		if (method === 'notifications/cancelled') this.#stops.get(params?.requestId)?.abort()
		const { events } = this.#options
		if (events && method === 'notifications/initialized' && this.sessionId !== undefined) this.#listen()
	}

	/** `relatedRequestId` of the request whose answer brought the server's own request; undefined where it came alone. */
	callOf(id: unknown): unknown {
		const call = this.#brought.get(id)
		this.#brought.delete(id)
		return call
	}

	/** Tells the server that the session is over; failing is no harm. */
	async endSession(): Promise<void> {
		if (this.sessionId === undefined) return
		const bounds = { headersMs: END_SESSION_MS, idleBodyMs: END_SESSION_MS, maxBytes: this.#options.maxBytes }
		const headers = await this.#commonHeaders()
		await this.#options.egress
			.text(this.#options.url, { method: 'DELETE', headers, ...bounds })
			.catch(() => {})
	}

	async #underway(key: unknown, given: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<void>) {
		const stop = new AbortController()
		const abort = () => stop.abort()
		given?.addEventListener('abort', abort)
		if (this.#closed || given?.aborted) abort()
		this.#stops.set(key, stop)
		try {
			await run(stop.signal)
		} finally {
			this.#stops.delete(key)
			given?.removeEventListener('abort', abort)
		}
	}

	async #post(message: Sent, options: TransportSendOptions, signal: AbortSignal): Promise<void> {
		const headers: Record<string, string> = {
			...(await this.#commonHeaders()),
			...messageHeaders(message, options.headers),
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
		}
		const isHandshake = message.method === 'initialize'
		if (isHandshake) delete headers['mcp-session-id']
		const body = JSON.stringify(message)
		// A subscription is silent for as long as nothing happens.
		const lasting = options.onRequestStreamEnd !== undefined
		let sentAt = 0
		const exchange = async () => {
			const reader = readAnswer(
				(received) => this.#take(received, options.relatedRequestId),
				message.method && message.id,
				message.method,
			)
			sentAt = sharedNow()
			const head = await this.#stream({ method: 'POST', headers, body, signal }, reader, lasting)
			if (isHandshake && head.status === 200) this.sessionId = sessionOf(head)
			return { head, reader }
		}
		let { head, reader } = await exchange()
		if (head.status === 401 && headers.authorization !== undefined) {
			headers.authorization = `Bearer ${await this.#refreshedToken(headers.authorization)}`
			;({ head, reader } = await exchange())
		}
		const lacking = lackingScope(head)
		this.#tell(head.status, headers.authorization, sentAt)
		if (headers.authorization === undefined && (head.status === 401 || lacking !== undefined))
			throw new SignInUndeclared(namedScope(head))
		if (lacking !== undefined) {
			const token = headers.authorization?.slice(BEARER.length) ?? ''
			throw new InsufficientScope(lacking, await this.#options.credential.lacks(token, lacking))
		}
		if (head.status === 401) throw new UnauthorizedConnector()
		if (head.status === 400 && reader.readError()) return
		if (head.status < 200 || head.status > 299)
			throw httpError(head, reader.text(), { url: this.#options.url, session: this.sessionId !== undefined })
		if (reader.end() || lasting) return
		await this.#resume(reader, signal)
	}

	/** 2025 only: a server may end a stream before its answer, and give that to who comes back with the last event's id. */
	async #resume(reader: AnswerReader, signal: AbortSignal): Promise<void> {
		try {
			for (let tried = 0; reader.last.id !== undefined && tried < RESUME_TRIES; tried++) {
				await sleep(reader.last.retryMs ?? RESUME_MS, undefined, { signal })
				const accept = { accept: 'text/event-stream', 'last-event-id': reader.last.id }
				const headers = { ...(await this.#commonHeaders()), ...accept }
				const head = await this.#stream({ method: 'GET', headers, signal }, reader, false)
				if (head.status !== 200) break
				if (reader.end()) return
			}
		} catch (error) {
			signal.throwIfAborted()
			if (error instanceof EgressError && error.code === 'egress_too_large') throw error
			// Whatever it says, it says nothing of the request, which has begun.
		}
		throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'the answer ended before its result')
	}

	/** 2025 with sessions: where the server tells of changes unasked. One that has no such stream answers 405. */
	#listen(): void {
		const reader = readAnswer((received) => this.onmessage?.(received), undefined)
		const stream = async (signal: AbortSignal) => {
			const headers = { ...(await this.#commonHeaders()), accept: 'text/event-stream' }
			await this.#stream({ method: 'GET', headers, signal }, reader, true)
		}
		this.#underway(reader, undefined, stream).catch(() => {})
	}

	#take(received: JSONRPCMessage, call: unknown): void {
		if (call !== undefined && isJSONRPCRequest(received)) {
			this.#brought.set(received.id, call)
			const [oldest] = this.#brought.keys()
			if (this.#brought.size > MAX_BROUGHT) this.#brought.delete(oldest)
		}
		this.onmessage?.(received)
	}

	#stream(
		request: Pick<EgressRequest, 'method' | 'headers' | 'body' | 'signal'>,
		reader: BodyReader,
		lasting: boolean,
	): Promise<ResponseHead> {
		const { egress, url, answerMs, maxBytes } = this.#options
		const bounds = { headersMs: answerMs, idleBodyMs: lasting ? 0 : answerMs, maxBytes }
		return egress.stream(url, { ...request, ...bounds }, reader)
	}

	async #commonHeaders(): Promise<Record<string, string>> {
		const bearer = await this.#options.credential.token()
		return {
			...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
			...(this.sessionId !== undefined && { 'mcp-session-id': this.sessionId }),
			...(this.#protocolVersion !== undefined && { 'mcp-protocol-version': this.#protocolVersion }),
		}
	}

	/** Other answers say nothing of the token. */
	#tell(status: number, authorization: string | undefined, sentAt: number): void {
		const taken = status >= 200 && status < 300
		if (authorization === undefined || !(taken || status === 401)) return
		this.#options.credential.answered(taken, authorization.slice(BEARER.length), sentAt)
	}

	async #refreshedToken(authorization: string): Promise<string> {
		const bearer = await this.#options.credential.token(authorization.slice(BEARER.length))
		if (bearer === undefined) throw new UnauthorizedConnector()
		return bearer
	}
}

function sessionOf({ headers }: ResponseHead): string | undefined {
	const session = headers['mcp-session-id']
	return typeof session === 'string' ? session : undefined
}

function httpError(
	{ status, headers }: ResponseHead,
	text: string,
	{ url, session }: { url: string; session: boolean },
): SdkHttpError {
	const comeAgain = headers['retry-after'] !== undefined
	const retryAfterMs = askedWaitMs(headers, sharedNow())
	const isRedirect = status >= 300 && status < 400 && headers.location !== undefined
	// Never its path or query, which may hold a secret.
	const redirectHost = isRedirect ? (URL.parse(String(headers.location), url)?.host ?? '') : undefined
	const data = {
		status,
		text: text.slice(0, MAX_ERROR_CHARS),
		comeAgain,
		retryAfterMs,
		session,
		redirectHost,
	}
	return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `the server answered ${status}`, data)
}
