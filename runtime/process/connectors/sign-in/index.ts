/**
 * Sign-ins kept fresh: one refresh at a time for each, over all runs and all hosts, stored before it is used
 * (spec connect.one-refresh).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Egress } from '../../../egress/index.ts'
import { untilDone } from '../../../lib/retry.ts'
import type { HostCalls, HostNotes } from '../../../wire/host-calls.ts'
import type { Peer } from '../../../wire/peer.ts'
import type { SealedCredential } from '../../../wire/runtime-calls.ts'
import { type Credentials, KeyError, type OpenCredential } from '../../keys/index.ts'
import { createScrubber } from '../../providers/index.ts'
import { ConnectorError } from '../types.ts'
import { boundedWords } from '../words.ts'
import { movedTo, RefreshRefused, refresh, type StoredTokens } from './refresh.ts'

export interface SignIns {
	/**
	 * The credential as it is to be sent to `url` now. `refused`: the token that was just turned away there. Rejects
	 * `ConnectorError`: `connector_not_connected` where a person must act, else `connector_unavailable`.
	 */
	current(deployment: string, name: string, url: string, refused?: string): Promise<OpenCredential>
}

export interface SignInsOptions {
	credentials: Credentials
	egress: Egress
	host: Pick<Peer<HostCalls, HostNotes>, 'call' | 'notify'>
	now(): number
}

interface StoredSignIn {
	deployment: string
	name: string
	url: string
}

/** Refreshed so long before it ends, for the time a request is on its way. */
const EARLY_MS = 5_000
const WAIT_MS = 100
/** Longer than a lease lasts: whoever waits for a dead host takes over. */
const PATIENCE_MS = 14_000
const STORE_MS = 10_000

export function createSignIns(options: SignInsOptions): SignIns {
	const { credentials, now } = options
	const refreshing = new Map<string, Promise<void>>()
	/** Got from the server, and not known to be stored: the next try stores it instead of asking the server again. */
	const unstored = new Map<string, string>()

	const open = (deployment: string, name: string, url: string) =>
		credentials.open(deployment, name, url).catch((cause: unknown) => {
			throw cause instanceof KeyError ? notConnected(cause.message) : cause
		})
	const renew = (place: StoredSignIn, opened: OpenCredential): Promise<void> => {
		const key = `${place.deployment} ${place.name} ${opened.version}`
		let going = refreshing.get(key)
		if (!going) {
			going = once(options, unstored, key, place, opened).finally(() => refreshing.delete(key))
			refreshing.set(key, going)
		}
		return going
	}

	return {
		async current(deployment, name, url, refused) {
			const place = { deployment, name, url }
			const opened = await open(deployment, name, url)
			const { payload } = opened
			if (payload.kind !== 'oauth' || payload.grant.refreshToken === null) return opened
			const { expiresAt } = payload.grant
			const over = expiresAt !== null && expiresAt - EARLY_MS <= now()
			if (!over && payload.token.reveal() !== refused) return opened
			await renew(place, opened)
			return open(deployment, name, url)
		},
	}
}

/** Its tokens are another issuer's: neither is sent anywhere. */
class Moved extends RefreshRefused {
	constructor(servers: string, issuer: string | undefined) {
		super(
			`The connector's authorization server has changed: it was ${issuer}, and is now ${servers}. Sign in again: berth connect.`,
		)
	}
}

/** Ends with another version of the credential held here, or rejects. */
async function once(
	options: SignInsOptions,
	unstored: Map<string, string>,
	key: string,
	place: StoredSignIn,
	opened: OpenCredential,
): Promise<void> {
	const { credentials, host } = options
	const { deployment, name, url } = place
	const { version } = opened
	const held = { deployment, name, version }
	try {
		const waiting = await lease(options, held)
		if (waiting) {
			unstored.delete(key)
			return credentials.replace(deployment, waiting)
		}
		const jwe = unstored.get(key) ?? (await refreshed(options, place, opened))
		unstored.set(key, jwe)
		const store = () => host.call('credential.store', { ...held, jwe }, { timeoutMs: STORE_MS })
		const { credential } = await untilDone(store)
		unstored.delete(key)
		if (!credential) throw notConnected(`${url} is not connected any more.`)
		credentials.replace(deployment, credential)
	} catch (error) {
		if (error instanceof ConnectorError) throw error
		const said = boundedWords(createScrubber([...opened.secrets]).text((error as Error).message))
		const message = `The sign-in at ${url} could not be refreshed.`
		const why = error instanceof Moved ? said : `${message} The server says: ${said}`
		const refused = error instanceof RefreshRefused ? why : null
		const { credential } = await host
			.call('credential.release', { ...held, refused })
			.catch(() => ({ credential: null }))
		// The owner, or another host, was quicker: theirs counts.
		if (credential && credential.version > version) return credentials.replace(deployment, credential)
		if (refused !== null) throw notConnected(`${message} Sign in again: berth connect.`, said)
		// Not `unreachable`: that would have it tried once more at once.
		throw new ConnectorError('connector_unavailable', 'refused', `${message} Try again later.`, { said })
	}
}

/** Undefined: ours to refresh. Else what somebody else has made of it meanwhile. */
async function lease(
	{ host }: SignInsOptions,
	held: { deployment: string; name: string; version: number },
): Promise<SealedCredential | undefined> {
	const ask = () => host.call('credential.lease', held, { timeoutMs: STORE_MS })
	for (const until = performance.now() + PATIENCE_MS; ; await sleep(WAIT_MS)) {
		const answer = await untilDone(ask)
		if (answer.status === 'yours') return undefined
		if (answer.status === 'changed') return answer.credential
		if (answer.status === 'gone') throw notConnected(`${held.name} has no valid sign-in. Run berth connect.`)
		if (performance.now() > until) throw new Error('another host does not finish refreshing it')
	}
}

async function refreshed(
	{ credentials, egress }: SignInsOptions,
	place: StoredSignIn,
	opened: OpenCredential,
) {
	if (opened.payload.kind !== 'oauth') throw new TypeError('not a sign-in')
	const signIn = JSON.parse(opened.payload.grant.members.reveal()) as StoredTokens
	if (typeof signIn.token_endpoint !== 'string' || typeof signIn.client_id !== 'string')
		throw new RefreshRefused('the sealed sign-in does not say where')
	const servers = await movedTo(egress, signIn)
	if (servers) throw new Moved(servers.join(', '), signIn.issuer)
	const next = await refresh(egress, signIn)
	return credentials.seal(place.deployment, place.name, place.url, JSON.stringify(next))
}

function notConnected(message: string, said?: string): ConnectorError {
	return new ConnectorError('connector_not_connected', 'unauthorized', message, said ? { said } : {})
}
