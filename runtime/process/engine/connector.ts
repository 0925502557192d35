import { ConnectorError, type ConnectorTarget, type Lack, scopeNames } from '../connectors/index.ts'
import type { OpenCredential } from '../keys/index.ts'
import type { Connector } from './bundle-cache.ts'
import { noteUse, scrubberOf, tellFault, tellRefused } from './credential.ts'
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
	/** What it is now: undefined where the token that was sent is not its any more. */
	const sentWith = async (token: string): Promise<OpenCredential | undefined> => {
		const opened = await services.credentials.open(deployment, credential, url).catch(() => undefined)
		const isIt = opened && 'token' in opened.payload && opened.payload.token.reveal() === token
		return isIt ? opened : undefined
	}
	return {
		deployment,
		url,
		credentialVersion: services.credentials.version(deployment, credential),
		async token(refused) {
			const opened = await services.signIns.current(deployment, credential, url, refused)
			onOpen(opened)
			return tokenOf(services, deployment, url, opened, refused)
		},
		async answered(taken, token, sentAt) {
			const opened = await sentWith(token)
			if (!opened) return
			if (taken) noteUse(services, deployment, opened, sentAt)
			else tellRefused(services, deployment, opened, refusal(url, opened))
		},
		async lacks(token, scope) {
			const opened = await sentWith(token)
			return opened ? tellLack(services, deployment, url, opened, scope) : 'lacks'
		},
	}
}

/** Tells the owner, and answers with what helps. */
function tellLack(
	services: Services,
	deployment: string,
	url: string,
	opened: OpenCredential,
	scope: string,
): Lack {
	const { payload } = opened
	if (payload.kind !== 'oauth') {
		const wanted = scope === '' ? 'a scope, which it does not name' : scope
		tellRefused(services, deployment, opened, `${url} asks for what the token does not allow: ${wanted}`)
		return 'token'
	}
	const held = new Set(scopeNames(payload.grant.scope))
	const lacking = scopeNames(scope).filter((name) => !held.has(name))
	if (lacking.length > 0) {
		const error = `${url} asks for a scope that the sign-in does not have: ${lacking.join(' ')}`
		tellRefused(services, deployment, opened, error, lacking.join(' '))
		return 'lacks'
	}
	const error =
		scope === ''
			? `${url} refuses a call for want of a scope and does not name it. Ask who runs it for its name, add it to scopes in agent.yaml, update the agent and sign in again (berth connect --all).`
			: `${url} refuses a call for want of a scope that the sign-in has: ${scope}. Signing in again does not help; ask who runs it.`
	tellFault(services, deployment, opened, { state: 'ready', error })
	return scope === '' ? 'unnamed' : 'has'
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
		tellRefused(services, deployment, opened, refusal(url, opened))
		throw new ConnectorError('connector_not_connected', 'unauthorized', refusal(url, opened))
	}
	return token
}

const refusal = (url: string, { payload }: OpenCredential) =>
	payload.kind === 'oauth'
		? `${url} does not take the sign-in any more; sign in again (berth connect).`
		: `${url} does not take the token any more; give it another (berth credentials --bearer-env).`
