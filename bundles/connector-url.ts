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
