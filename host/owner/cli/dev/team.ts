/** Agents that run side by side here: an address of one in the `requires` of another is that of the local one. */
import type { Agent } from '../../../../bundles/index.ts'
import type { Client, Credential, Deployment } from '../../client/index.ts'

/** `/d/researcher/mcp`, `/d/researcher-4kz81m2q/mcp`, of any host. */
const slugOf = (url: string) => /^https?:\/\/[^/]+\/d\/([^/]+)\/mcp$/.exec(url)?.[1]

/** By the name of its agent: what is deployed here. */
export type Team = Map<string, Deployment>

export function localAddresses({ requires }: Agent, team: Team): Map<string, string> {
	const found = new Map<string, string>()
	for (const { connector } of requires) {
		const slug = slugOf(connector)
		const name = [...team.keys()].find((one) => slug === one || slug?.startsWith(`${one}-`))
		const deployment = name === undefined ? undefined : team.get(name)
		if (deployment) found.set(connector, `${deployment.url}/mcp`)
	}
	return found
}

/** Of an address that may be meant for an agent beside this one. `others`: what runs here. */
export function strange(url: string, others: string[]): string | undefined {
	const slug = slugOf(url)
	if (slug === undefined || others.length === 0) return undefined
	return `no local agent is named ${slug}; here: ${others.join(', ')}`
}

/** A run key of the agent that the credential is for; undefined: it is none of ours. */
export async function teamSecret(
	client: Client,
	{ needed_by }: Credential,
	team: Team,
): Promise<{ token: string } | undefined> {
	const callee = [...team.values()].find(({ url }) => needed_by === `${url}/mcp`)
	if (!callee) return undefined
	const { run_key: token } = await client.deployments.createKey(callee.id, {
		name: 'berth dev',
		scopes: ['run'],
	})
	return { token }
}
