import { ConnectorError, type ConnectorTarget } from '../connectors/index.ts'
import type { OpenCredential } from '../keys/index.ts'
import type { Connector } from './bundle-cache.ts'
import { noteUse, scrubberOf, tellRefused } from './credential.ts'
import type { Run } from './run.ts'
import type { Services } from './services.ts'

/** Made anew for every call: a credential that was replaced in the meantime is the one used. */
export function targetOf(run: Run, connector: Connector): ConnectorTarget {
	return targetFor(run.services, run.begin.deployment, connector, (opened) =>
		run.scrubbers.add(scrubberOf(opened)),
	)
}

/** `onOpen` hears of every credential before it is sent. */
export function targetFor(
	services: Services,
	deployment: string,
	{ credential, url }: Connector,
	onOpen: (opened: OpenCredential) => void,
): ConnectorTarget {
	if (credential === null) return { deployment, url, credentialVersion: 0 }
	return {
		deployment,
		url,
		credentialVersion: services.credentials.version(deployment, credential),
		async token(refused) {
			const opened = await services.signIns.current(deployment, credential, url, refused)
			onOpen(opened)
			return tokenOf(services, deployment, url, opened, refused)
		},
		async answered(taken, token, sentAt, lacking) {
			const opened = await services.credentials.open(deployment, credential, url).catch(() => undefined)
			if (!opened || !('token' in opened.payload) || opened.payload.token.reveal() !== token) return
			if (taken) noteUse(services, deployment, opened, sentAt)
			else if (lacking) tellRefused(services, deployment, opened, narrow(url, lacking), lacking)
			else tellRefused(services, deployment, opened, refusal(url))
		},
	}
}

function tokenOf(
	services: Services,
	deployment: string,
	url: string,
	opened: OpenCredential,
	refused: string | undefined,
): string {
	if (!('token' in opened.payload)) throw new TypeError('not the credential of a connector')
	const token = opened.payload.token.reveal()
	if (token === refused) {
		tellRefused(services, deployment, opened, refusal(url))
		throw new ConnectorError('connector_not_connected', 'unauthorized', refusal(url))
	}
	return token
}

const refusal = (url: string) => `${url} does not take the sign-in any more.`
const narrow = (url: string, scope: string) =>
	`${url} asks for a scope that the sign-in does not have: ${scope}`
