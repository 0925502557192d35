/** How a place is reached from outside. */
export interface Place {
	id: string
	/** `PLACE_URL` of its hosts. */
	url: string
	/** `DEPLOYMENT_DOMAIN` of its hosts, with a port where it has one; empty: deployments are below `url`. */
	domain: string
}

/** `deployment_url` (spec deployment.address). A subdomain has the scheme of the place's address. */
export function deploymentUrl({ url, domain }: Pick<Place, 'url' | 'domain'>, slug: string): string {
	return domain ? `${new URL(url).protocol}//${slug}.${domain}` : `${url}/d/${slug}`
}

/** Regular expression of the addresses at which a place's agents are MCP servers. */
export function agentUrls(place: Pick<Place, 'url' | 'domain'>): string {
	const [before = '', after = ''] = deploymentUrl(place, '*').split('*')
	return `^${literal(before)}[a-z0-9-]+${literal(after)}/mcp$`
}

const literal = (text: string) => text.replace(/[^\w/:-]/g, '\\$&')

/** As a browser's `Origin` and a Content-Security-Policy name what a place answers at. */
export function sourcesOf({ url, domain }: Place): string[] {
	const { origin, protocol } = new URL(url)
	return domain ? [origin, `${protocol}//*.${domain}`] : [origin]
}
