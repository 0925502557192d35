import {
	ProtocolError,
	SdkError,
	SdkErrorCode,
	SdkHttpError,
	UnauthorizedError,
} from '@modelcontextprotocol/client'
import { EgressError } from '../egress/index.ts'
import type { ConnectionCredential } from './credential.ts'
import { ConnectorError, type ConnectorTarget } from './types.ts'

/** Named as the client expects it, which then hands it through instead of trying the other era. */
export class UnauthorizedConnector extends UnauthorizedError {
	constructor() {
		super('the connector does not take the token')
		this.name = 'UnauthorizedError'
	}
}

/** Statuses that say that the request was not begun. */
const notBegun = new Set([408, 421, 425, 429, 503])

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
		return error.code === SdkErrorCode.NotConnected ? 'session' : 'unknown'
	}
	return 'unknown'
}

/** The client wraps what fails while it connects. */
function rootOf(error: unknown): unknown {
	const cause = error instanceof SdkError ? error.cause : undefined
	return cause instanceof EgressError || cause instanceof ConnectorError ? cause : error
}

function statusOutcome({ status, data }: SdkHttpError): Outcome {
	if (status === 401) return 'unauthorized'
	// 2025: an unknown session is 404; some servers say 400.
	if (status === 404 || (status === 400 && /session/i.test(String(data.text)))) return 'session'
	if (notBegun.has(status)) return 'unreachable'
	return status >= 500 ? 'unknown' : 'protocol'
}

export function connectorError(
	error: unknown,
	{ url, token }: ConnectorTarget,
	credential: ConnectionCredential,
): ConnectorError {
	const root = rootOf(error)
	if (root instanceof ConnectorError) return root
	const outcome = outcomeOf(root)
	const said = root instanceof Error ? root.message : String(root)
	const reason = outcome === 'session' ? 'protocol' : outcome
	const code = reason === 'unauthorized' && token ? 'connector_not_connected' : 'connector_unavailable'
	return new ConnectorError(code, reason, `${new URL(url).host}: ${credential.scrub(said)}`)
}
