/** Shows HTTP as it went over the wire, for `--verbose` and the demo: complete, with every secret shortened. */

const SHOWN_CHARS = 14
const BODY_MAX_LINES = 30
/** JSON this short stands on one line. */
const LINE_CHARS = 110

/** Bearer tokens, secrets of Berth and sealed credentials (JWE), wherever they stand. */
const secrets =
	/(?<=\bBearer )[\w.~+/=-]{12,}|\b(?:(?:brk|bpt|bup|bss|bco|bsi|local)_\w{12,}|whsec_[\w+/=-]{12,}|eyJ[\w-]{20,}(?:\.[\w-]*){4})/g

export function shorten(text: string): string {
	return text.replace(secrets, (secret) => `${secret.slice(0, SHOWN_CHARS)}…(${secret.length} characters)`)
}

/** JSON laid out for reading; a long body ends early and says so. */
export function showBody(text: string): string {
	let shown = text
	try {
		shown = layOut(JSON.parse(text), '')
	} catch {
		// Shown as it is.
	}
	const lines = shorten(shown).split('\n')
	const rest = lines.length - BODY_MAX_LINES
	return (rest > 1 ? [...lines.slice(0, BODY_MAX_LINES), `… ${rest} more lines`] : lines).join('\n')
}

/** What fits on a line stands on one. */
function layOut(value: unknown, margin: string): string {
	const line = JSON.stringify(value)
	if (line.length + margin.length <= LINE_CHARS || typeof value !== 'object' || value === null) return line
	const inner = `${margin}  `
	const parts = Array.isArray(value)
		? value.map((item) => inner + layOut(item, inner))
		: Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${layOut(item, inner)}`)
	const [open, close] = Array.isArray(value) ? '[]' : '{}'
	return `${open}\n${parts.join(',\n')}\n${margin}${close}`
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
