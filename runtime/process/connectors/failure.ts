import {
	ProtocolError,
	SdkError,
	SdkErrorCode,
	SdkHttpError,
	UnauthorizedError,
} from '@modelcontextprotocol/client'
import { EgressError } from '../../egress/index.ts'
import type { ConnectionCredential } from './credential.ts'
import { KIND_NAME } from './mend.ts'
import { ConnectorError, type ConnectorTarget, type Lack } from './types.ts'

/** Named as the client expects it, which then hands it through instead of trying the other era. */
export class UnauthorizedConnector extends UnauthorizedError {
	constructor(message = 'the connector does not take the token') {
		super(message)
		this.name = 'UnauthorizedError'
	}
}

const insufficient: Record<Lack, string> = {
	lacks: 'the sign-in does not allow this (insufficient_scope); sign in again (berth connect)',
	has: 'it refuses this for want of a scope that the sign-in has (insufficient_scope); signing in again does not help, ask who runs it',
	unnamed:
		'it refuses this for want of a scope (insufficient_scope) and does not name it; ask who runs it for its name, add it to scopes in agent.yaml, update the agent and sign in again (berth connect --all)',
	token: 'the token does not allow this (insufficient_scope); upload one that does (berth connect --all)',
}

/** The token is good, and not for this; another token of the same grant is not either. */
export class InsufficientScope extends UnauthorizedConnector {
	/** As the server names it; empty where it does not. */
	readonly scope: string
	constructor(scope: string, lack: Lack) {
		super(insufficient[lack])
		this.scope = scope
	}
}

/** The server wants a sign-in, and the agent declares that it has none: no sign-in of the owner's would be sent. */
export class SignInUndeclared extends UnauthorizedConnector {
	/** As the server names it; empty where it does not. */
	readonly scope: string
	constructor(scope: string) {
		super(
			'it wants a sign-in, and the agent declares none (auth: none); write auth: oauth or auth: bearer in agent.yaml, update the agent and sign in (berth connect)',
		)
		this.scope = scope
	}
}

/**
 * Statuses that say that the request was not begun. 503 says so only with `Retry-After`: a gateway answers it, and 408,
 * for a server that it has given up waiting for, too, while that works on.
 */
const notBegun = new Set([421, 425, 429])

/** Before a busy server is asked again, where it names no time or a shorter one. */
const BUSY_MS = 1_000

/** What became of a request that failed. `session`: it was refused because the server knows the session no more. */
export type Outcome = 'refused' | 'unreachable' | 'unauthorized' | 'session' | 'protocol' | 'unknown'

export function outcomeOf(given: unknown): Outcome {
	const error = rootOf(given)
	if (error instanceof ConnectorError) return error.reason === 'missing' ? 'protocol' : error.reason
	if (error instanceof EgressError) {
		if (error.code === 'egress_refused') return 'refused'
		if (error.code === 'egress_too_large') return 'protocol'
		return error.code === 'egress_unreachable' ? 'unreachable' : 'unknown'
	}
	if (error instanceof UnauthorizedError) return 'unauthorized'
	if (error instanceof SdkHttpError) return statusOutcome(error)
	if (error instanceof ProtocolError) return 'protocol'
	if (error instanceof SdkError) {
		if (error.code === SdkErrorCode.InvalidResult) return 'protocol'
		return error.code === SdkErrorCode.NotConnected ? 'session' : 'unknown'
	}
	return 'unknown'
}

/** The client wraps what fails while it connects. */
function rootOf(error: unknown): unknown {
	const cause = error instanceof SdkError ? error.cause : undefined
	return cause instanceof EgressError || cause instanceof ConnectorError ? cause : error
}

/** Their words for it; a tool may speak of sessions of its own. */
const SESSION = /session[ -]?id|(?:invalid|missing|no|unknown|valid) session|session (?:expired|not found)/i

function statusOutcome({ status, data }: SdkHttpError): Outcome {
	if (status === 401) return 'unauthorized'
	// 2025: an unknown session is 404; some servers say 400.
	if (status === 404 || (status === 400 && data.session && SESSION.test(String(data.text)))) return 'session'
	if (notBegun.has(status) || (status === 503 && data.comeAgain)) return 'unreachable'
	return status >= 500 || status === 408 ? 'unknown' : 'protocol'
}

/** All that is said of a failure whose error was not worded here: an SDK's or a parser's may quote what the server sent. */
const words: Record<Exclude<Outcome, 'session'>, string> = {
	refused: 'its address is not allowed',
	unreachable: 'it could not be asked; try again later',
	unauthorized: 'it does not let the agent in; sign in again (berth connect)',
	protocol: 'it refused the request, or it is no MCP server; check its address',
	unknown: 'what it answered is no answer; ask who runs it',
}

/** `unknownIs`: what an unknown outcome amounts to, where nothing was asked of a tool. */
export function connectorError(
	error: unknown,
	{ url, token }: ConnectorTarget,
	credential: ConnectionCredential,
	unknownIs: 'unknown' | 'unreachable' = 'unknown',
): ConnectorError {
	const root = rootOf(error)
	if (root instanceof ConnectorError) return root
	const outcome = outcomeOf(root)
	const known = outcome === 'session' ? 'protocol' : outcome
	const code = known === 'unauthorized' && token ? 'connector_not_connected' : 'connector_unavailable'
	const said = credential.scrub(root instanceof Error ? root.message : String(root))
	const own = ownWords(root)
	const message = `${new URL(url).host}: ${own ?? words[known]}`
	const named = namedBy(root)
	return new ConnectorError(code, known === 'unknown' ? unknownIs : known, message, {
		waitMs: waitOf(root),
		away: root instanceof EgressError && root.code === 'egress_unreachable',
		...(!(own && !named) && { said: named ?? said }),
	})
}

/** Of a server that has too much to do. */
function waitOf(error: unknown): number | undefined {
	if (!(error instanceof SdkHttpError) || statusOutcome(error) !== 'unreachable') return undefined
	const { status, data } = error
	if (status !== 429 && status !== 503) return undefined
	return Math.max(Number(data.retryAfterMs ?? 0), BUSY_MS)
}

/** What the owner needs of an answer that is worded here and holds a name that the server chose. */
function namedBy(error: unknown): string | undefined {
	if (error instanceof InsufficientScope || error instanceof SignInUndeclared)
		return error.scope ? `The scope it needs: ${error.scope}` : undefined
	const host = error instanceof SdkHttpError && error.data.redirectHost
	return host ? `The redirect leads to ${host}` : undefined
}

/** Of errors that are worded in this repository, and of nothing that a server sent. */
function ownWords(error: unknown): string | undefined {
	if (error instanceof EgressError || error instanceof UnauthorizedConnector) return error.message
	if (error instanceof SdkHttpError) {
		const redirects = error.data.redirectHost !== undefined
		return `it answered ${error.status}${redirects ? ', a redirect, which is not followed; write the address that it leads to in agent.yaml and update the agent' : ''}`
	}
	if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
		return 'it did not answer in time'
	return undefined
}

/** What is told of a server that answers a call with what nobody here can go on with; undefined of any other failure. */
export function beyondUs(error: unknown): string | undefined {
	if (!(error instanceof SdkError)) return undefined
	if (error.code === SdkErrorCode.InvalidResult && /^Invalid result for tools\/call\b/.test(error.message))
		return 'was called, and its result is not as MCP has it.'
	if (error.code !== SdkErrorCode.UnsupportedResultType) return undefined
	const kind = (error.data as { resultType?: unknown } | undefined)?.resultType
	if (kind === 'task')
		return 'answered with a task of its own (MCP tasks), which Berth cannot follow. It may still be at work.'
	const named = typeof kind === 'string' && KIND_NAME.test(kind) ? ` (resultType: ${kind})` : ''
	return `was called, and its result is of a kind that Berth does not know${named}.`
}
