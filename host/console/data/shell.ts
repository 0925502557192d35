import { client } from './client.ts'
import { useLoad } from './load.ts'
import { heardAccount } from './whose.ts'

const overviewMs = 30_000

/** Who is signed in. */
export const useAccount = () => useLoad('account', async () => heardAccount(await client.account.get()))

/** What each agent did in the last day, and what waits: read once for all who show it. */
export const useOverview = () => useLoad('overview', () => client.overview.get(), overviewMs)

const pageMax = 100
const pagesMax = 10

/** Every agent, newest first. */
export const useAgents = (everyMs?: number) => useLoad('agents', readAgents, everyMs)

export async function readAgents() {
	const all = []
	let cursor: string | undefined
	for (let page = 0; page < pagesMax; page++) {
		const { data, next_cursor } = await client.deployments.list({ limit: pageMax, ...(cursor && { cursor }) })
		all.push(...data)
		if (next_cursor === null) break
		cursor = next_cursor
	}
	return all
}
