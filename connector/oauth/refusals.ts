// What is refused before the library sees it: text that Postgres cannot store, and redirects that no client may have.

export interface Fault {
	error:
		| 'invalid_request'
		| 'invalid_client_metadata'
		| 'invalid_redirect_uri'
		| 'temporarily_unavailable'
		| 'invalid_target'
		| 'slow_down'
	error_description: string
}

const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]'])
/**
 * Schemes that browsers or systems act on themselves, or that send the code in the clear; any other is an application's
 * own.
 */
const notApplications = new Set(
	(
		'about android-app blob cid content data file filesystem ftp ftps gopher help hcp intent ' +
		'itms-services jar javascript ldap ldaps livescript mailto market mhtml mid mk mocha nfs res resource ' +
		'search-ms sftp shell smb sms ssh tel telnet urn vbs vbscript view-source wss ws wyciwyg x-apple.systempreferences'
	)
		.split(' ')
		.map((scheme) => `${scheme}:`),
)
/** Pages and parts of browsers, and of Windows: `chrome://`, `chrome-extension://`, `ms-settings:`. */
const families =
	/^(?:brave|chrome|chromium|edge|microsoft-edge|moz|ms|opera|safari|vivaldi)(?:-[a-z0-9+.-]*)?:$/

/** Null: nothing to say against this registration or client document (RFC 7591 §3.2.2). */
export function registrationFault(given: Record<string, unknown>): Fault | null {
	if (!isStorable(given))
		return {
			error: 'invalid_client_metadata',
			error_description: 'text must be well-formed Unicode without NUL',
		}
	const { redirect_uris: redirects, client_id, client_secret } = given
	if (!Array.isArray(redirects) || redirects.length === 0)
		return { error: 'invalid_redirect_uri', error_description: 'redirect_uris must be a list of addresses' }
	if (!redirects.every(isSafeRedirect))
		return {
			error: 'invalid_redirect_uri',
			error_description:
				'a redirect URI must be https, http on loopback or of an application’s own scheme, without user, fragment or wildcard',
		}
	if ([client_id, client_secret].some((value) => typeof (value ?? '') !== 'string'))
		return {
			error: 'invalid_client_metadata',
			error_description: 'client_id and client_secret must be text',
		}
	return null
}

/** Every text in it, names included. Walked without recursion: nesting is the caller's choice. */
function isStorable(given: unknown): boolean {
	const left = [given]
	while (left.length > 0) {
		const value = left.pop()
		if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return false
		if (typeof value !== 'object' || value === null) continue
		for (const [name, member] of Object.entries(value)) left.push(name, member)
	}
	return true
}

function isSafeRedirect(uri: unknown): boolean {
	const url = typeof uri === 'string' ? URL.parse(uri) : null
	if (!url || (uri as string).includes('#')) return false
	if (url.username || url.password || url.hostname.includes('*')) return false
	if (url.protocol === 'http:') return loopbacks.has(url.hostname)
	return !notApplications.has(url.protocol) && !families.test(url.protocol)
}

/** Of a query or a form; it cannot hold a lone surrogate. */
export function holdsNul(parameters: URLSearchParams): boolean {
	return [...parameters].some((pair) => pair.some((text) => text.includes('\0')))
}
