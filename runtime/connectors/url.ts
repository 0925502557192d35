/** The one spelling of a connector's address: `aud` of its credential. Throws where it is no http(s) URL. */
export function canonicalUrl(_url: string): string {
	throw new Error('under construction')
}

/** The part after `connector:` in the name of its credential. */
export function connectorSlug(_url: string): string {
	throw new Error('under construction')
}
