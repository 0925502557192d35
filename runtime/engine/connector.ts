import { ConnectorError, type ConnectorTarget } from '../connectors/index.ts'
import { KeyError } from '../keys/index.ts'
import type { Connector } from './bundle-cache.ts'
import { noteUse, openFor, tellRefused } from './credential.ts'
import type { Run } from './run.ts'

/** Made anew for every call: a credential that was replaced in the meantime is the one used. */
export function targetOf(run: Run, connector: Connector): ConnectorTarget {
	const { deployment } = run.begin
	const { credential, url } = connector
	if (credential === null) return { deployment, url, credentialVersion: 0 }
	const credentialVersion = run.services.credentials.version(deployment, credential)
	return { deployment, url, credentialVersion, token: (refused) => tokenFor(run, connector, refused) }
}

async function tokenFor(run: Run, connector: Connector, refused: string | undefined): Promise<string> {
	const { credential, url } = connector
	const opened = await openFor(run, credential as string, url).catch((cause: unknown) => {
		throw cause instanceof KeyError ? notConnected(cause.message, cause) : cause
	})
	if (opened.payload.kind === 'provider') throw new TypeError('a provider key is not for connectors')
	const token = opened.payload.token.reveal()
	if (token === refused) {
		const message = `${url} does not take the sign-in any more.`
		tellRefused(run, opened, message)
		throw notConnected(message)
	}
	noteUse(run, opened)
	return token
}

function notConnected(message: string, cause?: unknown): ConnectorError {
	return new ConnectorError('connector_not_connected', 'unauthorized', message, { cause })
}
