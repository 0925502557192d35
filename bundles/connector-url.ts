/**
 * The one spelling of a connector's address (`aud` of its credential): scheme and host in lower case, no default port,
 * no fragment, no trailing slash. Throws where it is no plain http(s) URL.
 */
export function canonicalUrl(url: string): string {
	const { protocol, username, password, host, pathname, search } = new URL(url)
	if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`${url} is not an http(s) URL`)
	if (username || password) throw new TypeError('a connector URL holds no user name or password')
	return `${protocol}//${host}${pathname.replace(/\/+$/, '')}${search}`
}

/** The part after `connector:` in the name of its credential: host and path with everything else turned to `-`. */
export function connectorSlug(url: string): string {
	return canonicalUrl(url)
		.replace(/^https?:\/\//, '')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-|-$/g, '')
}

/** Splits a key of `tools`: the connector's name (from a URL, too) and the tool. */
export function toolKey(key: string): { connector: string; tool: string } {
	const cut = key.lastIndexOf('/')
	return { connector: connectorKey(key.slice(0, Math.max(cut, 0))), tool: key.slice(cut + 1) }
}

/** A connector's name, also from its URL. */
export function connectorKey(key: string): string {
	return URL.canParse(key) && key.includes('://') ? connectorSlug(key) : key
}
