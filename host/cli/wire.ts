/** Shows HTTP as it went over the wire, for `--verbose` and the demo: complete, with every secret shortened. */

const SHOWN_CHARS = 14
const BODY_MAX_CHARS = 2000

/** Secrets of Berth, sealed credentials (JWE) and local tokens, wherever they stand. */
const secrets =
	/\b(?:(?:brk|bpt|bup|bss|bsi|local)_\w{12,}|whsec_[\w+/=-]{12,}|eyJ[\w-]{20,}(?:\.[\w-]*){4})/g

export function shorten(text: string): string {
	return text.replace(secrets, (secret) => `${secret.slice(0, SHOWN_CHARS)}…(${secret.length} characters)`)
}

/** Multi-line JSON where it is JSON; long bodies end early and say so. */
export function showBody(text: string): string {
	let shown = text
	try {
		shown = JSON.stringify(JSON.parse(text), null, 2)
	} catch {
		// Shown as it is.
	}
	shown = shorten(shown)
	return shown.length > BODY_MAX_CHARS
		? `${shown.slice(0, BODY_MAX_CHARS)}\n… (${shown.length} characters)`
		: shown
}

export function indent(text: string, mark: string): string {
	return text
		.split('\n')
		.map((line) => `${mark} ${line}`)
		.join('\n')
}

/** A `fetch` that tells each exchange. Bodies of streams are not waited for. */
export function tracingFetch(say: (text: string) => void): typeof fetch {
	return async (input, init) => {
		const request = new Request(input, init)
		const headers = [...request.headers].map(([name, value]) => `${name}: ${shorten(value)}`)
		const body = init?.body
		const sent =
			typeof body === 'string' ? showBody(body) : body ? `(${(body as ArrayBuffer).byteLength} bytes)` : ''
		say(indent([`${request.method} ${request.url}`, ...headers, ...(sent ? ['', sent] : [])].join('\n'), '>'))
		const response = await fetch(input, init)
		const type = response.headers.get('content-type') ?? ''
		const received = /json/.test(type) ? showBody(await response.clone().text()) : type && `(${type})`
		say(
			`${indent([`${response.status} ${response.statusText}`, ...(received ? ['', received] : [])].join('\n'), '<')}\n`,
		)
		return response
	}
}
