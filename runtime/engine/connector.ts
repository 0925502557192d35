import { ConnectorError, type ConnectorTarget } from '../connectors/index.ts'
import { KeyError } from '../keys/index.ts'
import type { Connector } from './bundle-cache.ts'
import { noteUse, openFor, tellState } from './credential.ts'
import { RunFailure } from './failure.ts'
import type { Run } from './run.ts'

/** Made anew for every call: a credential that was replaced in the meantime is the one used. */
export function targetOf(run: Run, connector: Connector): ConnectorTarget {
	const { deployment } = run.begin
	const { credential, url } = connector
	if (credential === null) return { deployment, url, credentialVersion: 0 }
	const credentialVersion = run.services.credentials.version(deployment, credential)
	return { deployment, url, credentialVersion, token: (refused) => tokenFor(run, connector, refused) }
}

async function tokenFor(
	run: Run,
	{ credential, url }: Connector,
	refused: string | undefined,
): Promise<string> {
	try {
		const opened = await openFor(run, credential as string, url)
		if (opened.payload.kind === 'provider') throw new TypeError('a provider key is not for connectors')
		const token = opened.payload.token.reveal()
		if (token !== refused) {
			noteUse(run, opened)
			return token
		}
	} catch (cause) {
		if (!(cause instanceof KeyError)) throw cause
		throw new ConnectorError('connector_not_connected', 'unauthorized', cause.message, { cause })
	}
	throw new ConnectorError(
		'connector_not_connected',
		'unauthorized',
		`${url} does not take the sign-in any more.`,
	)
}

/** Ends the run with the connector's code, and tells the owner where a sign-in is what is missing. */
export function connectorFailure(run: Run, connector: Connector, error: ConnectorError): RunFailure {
	tellIfUnauthorized(run, connector, error)
	return new RunFailure(error.code, error.message, { cause: error })
}

export function tellIfUnauthorized(run: Run, { credential }: Connector, error: ConnectorError): void {
	if (error.reason === 'unauthorized' && credential !== null)
		tellState(run, credential, 'needs_sign_in', error.message)
}
