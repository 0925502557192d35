import type { KnownDeployments } from '../deployments/index.ts'
import { deploymentUrl, type Places } from '../places/index.ts'

/** Slug in `{place}/d/{slug}/mcp`, or in `{slug}.{domain}/mcp`. */
const SLUGS = [/\/d\/([a-z0-9-]{1,100})\/mcp$/, /^https?:\/\/([a-z0-9-]{1,100})\.[^/]+\/mcp$/]

/** Agents of this host's place, as the authorization server asks for them. */
export function agentAddresses({
	deployments,
	places,
}: {
	deployments: Pick<KnownDeployments, 'find'>
	places: Pick<Places, 'own'>
}) {
	const slugOf = (resource: string) =>
		SLUGS.map((slug) => slug.exec(resource)?.[1]).find(
			(slug) => slug !== undefined && `${deploymentUrl(places.own, slug)}/mcp` === resource,
		)
	return {
		isAddress: (resource: string) => slugOf(resource) !== undefined,
		async find(resource: string) {
			const found = await deployments.find(slugOf(resource) ?? '')
			return found && found.state !== 'deleted' ? { name: found.name, accountId: found.accountId } : null
		},
	}
}
