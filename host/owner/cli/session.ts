import { type Client, createClient, type Deployment, type Grant, refreshGrant } from '../client/index.ts'
import { CommandError, UsageError } from './failure.ts'
import type { Io } from './io.ts'
import { readLogin, writeLogin } from './login-file.ts'
import { plainFetch } from './plain-fetch.ts'
import { tracingFetch } from './wire.ts'

const DEFAULT_URL = 'http://127.0.0.1:8787'
/** A token is renewed a little before it ends, so that no call is made with one that ends on its way. */
const RENEW_BEFORE_MS = 60_000

/** `BERTH_URL` and `BERTH_TOKEN` before what `berth login` stored; a token is only sent to the host it was stored for. */
export function whereTo(): { url: string; token: string | undefined; grant: Grant | undefined } {
	const stored = readLogin()
	const { BERTH_URL } = process.env
	const url = BERTH_URL ? hostAddress('BERTH_URL', BERTH_URL) : (stored?.url ?? DEFAULT_URL)
	const own = stored?.url === url ? stored : undefined
	const { BERTH_TOKEN } = process.env
	return { url, token: BERTH_TOKEN || own?.token, grant: BERTH_TOKEN ? undefined : own?.grant }
}

/** As it is stored, without a slash at its end. `option`: whose value it is. */
export function hostAddress(option: string, value: string): string {
	const url = URL.parse(value)
	if (!url?.host || !/^https?:$/.test(url.protocol))
		throw new UsageError(`${option} takes the address of a host, as in ${DEFAULT_URL}, not "${value}"`)
	return value.replace(/\/+$/, '')
}

export function clientOf(io: Io, baseUrl: string, token: string | (() => Promise<string>)): Client {
	const fetcher = io.verbose ? tracingFetch(io.note) : plainFetch
	return createClient({ baseUrl, token, version, fetch: fetcher })
}

const version = async () => (await import('../../lib/root.ts')).version

export function session(io: Io): Client {
	const { url, token, grant } = whereTo()
	if (token === undefined) throw new CommandError(`not signed in at ${url}; run: berth login --url ${url}`)
	return clientOf(io, url, grant ? renewing(url, grant) : token)
}

/** One renewal a process, stored before it is used. */
function renewing(url: string, first: Grant): () => Promise<string> {
	let grant = Promise.resolve(first)
	return async () => {
		const { token, expiresAt, refreshToken } = await grant
		if (expiresAt === null || refreshToken === null || expiresAt - RENEW_BEFORE_MS > Date.now()) return token
		grant = grant.then(async (held) => {
			if (held.token !== token) return held
			const renewed = await refreshGrant(url, held)
			writeLogin({ url, token: renewed.token, grant: renewed })
			return renewed
		})
		return (await grant).token
	}
}

/** By name or id. */
export async function findDeployment(client: Pick<Client, 'deployments'>, name: string): Promise<Deployment> {
	if (/^dep_[0-9a-z]{26}$/.test(name)) return client.deployments.get(name)
	const { data } = await client.deployments.list({ name })
	const found = data.find((deployment) => deployment.name === name)
	if (!found) throw new CommandError(`there is no deployment named "${name}"; berth list shows yours`)
	return found
}

/** The deployment a run belongs to: the one named, or the one that the host knows. */
export async function findRun(client: Client, run: string, name?: string): Promise<Deployment> {
	if (name !== undefined) return findDeployment(client, name)
	return client.deployments.get((await knownRun(client, run)).deployment)
}

export const knownRun = (client: Client, run: string) =>
	client.runs.one(run).catch((error) => {
		if (error.code !== 'not_found') throw error
		throw new CommandError(`there is no run ${run} in your deployments`)
	})
