import { type Client, createClient, type Deployment } from '../client/index.ts'
import { CommandError } from './failure.ts'
import type { Io } from './io.ts'
import { readLogin } from './login-file.ts'
import { tracingFetch } from './wire.ts'

export const DEFAULT_URL = 'http://127.0.0.1:8787'

/** `BERTH_URL` and `BERTH_TOKEN` before what `berth login` stored; a token is only sent to the host it was stored for. */
export function whereTo(): { url: string; token: string | undefined } {
	const stored = readLogin()
	const url = (process.env.BERTH_URL || stored?.url || DEFAULT_URL).replace(/\/+$/, '')
	const token = process.env.BERTH_TOKEN || (stored?.url === url ? stored.token : undefined)
	return { url, token }
}

export function clientOf(io: Io, baseUrl: string, token: string): Client {
	return createClient({ baseUrl, token, ...(io.verbose && { fetch: tracingFetch(io.note) }) })
}

export function session(io: Io): Client {
	const { url, token } = whereTo()
	if (token === undefined) throw new CommandError(`not signed in at ${url}; run: berth login --url ${url}`)
	return clientOf(io, url, token)
}

/** By name or id. */
export async function findDeployment(client: Client, name: string): Promise<Deployment> {
	if (/^dep_[0-9a-z]{26}$/.test(name)) return client.deployments.get(name)
	const { data } = await client.deployments.list({ name })
	const found = data.find((deployment) => deployment.name === name)
	if (!found) throw new CommandError(`there is no deployment named "${name}"; berth list shows yours`)
	return found
}

/** The deployment a run belongs to: the one named, or the one of the account's that knows it. */
export async function findRun(client: Client, run: string, name?: string): Promise<Deployment> {
	if (name !== undefined) return findDeployment(client, name)
	for (let cursor: string | undefined; ; ) {
		const { data, next_cursor } = await client.deployments.list({ limit: 100, ...(cursor && { cursor }) })
		const known = await Promise.all(
			data.map((deployment) =>
				client.runs.get(deployment.url, run).then(
					() => deployment,
					() => null,
				),
			),
		)
		const found = known.find((deployment) => deployment !== null)
		if (found) return found
		if (next_cursor === null) throw new CommandError(`there is no run ${run} in your deployments`)
		cursor = next_cursor
	}
}
