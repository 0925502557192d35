/**
 * A browser without script, as far as sign-in pages need one: keeps cookies, follows redirects, fills forms, and holds
 * `form-action` of a page's policy against every redirect that follows its form, as Chromium does.
 */
export interface Browser {
	/** A redirect to another origin is not fetched: the page then has that `url` and status 0. */
	open(url: string | URL): Promise<Page>
	/** Name → value of what is sent to that address. */
	cookies(url: string | URL): Record<string, string>
}

export interface Page {
	url: URL
	status: number
	headers: Headers
	html: string
	/** Readable text, tags taken out. */
	text: string
	/** Fills the page's form (the first, or the one with that button) and sends it; hidden fields go along. */
	submit(fields?: Record<string, string>, button?: string): Promise<Page>
	/** Follows the link with that text. */
	follow(text: string): Promise<Page>
}

interface Cookie {
	name: string
	value: string
	host: string
	path: string
	secure: boolean
}

interface Sent {
	method: 'GET' | 'POST'
	body?: string
	headers?: Record<string, string>
	/** Sources that redirects may lead to. */
	formAction?: string[]
}

const mostRedirects = 20

export function openBrowser(): Browser {
	let jar: Cookie[] = []

	const matching = (url: URL) =>
		jar.filter(
			(c) =>
				c.host === url.hostname &&
				(!c.secure || url.protocol === 'https:') &&
				(url.pathname === c.path || url.pathname.startsWith(c.path.endsWith('/') ? c.path : `${c.path}/`)),
		)

	function keep(url: URL, headers: Headers) {
		for (const line of headers.getSetCookie()) {
			const [pair = '', ...attributes] = line.split(/; */)
			const at = pair.indexOf('=')
			const named = new Map(
				attributes.map((a) => [a.split('=')[0]?.toLowerCase(), a.slice(a.indexOf('=') + 1)]),
			)
			const cookie = {
				name: pair.slice(0, at),
				value: pair.slice(at + 1),
				host: url.hostname,
				path: named.get('path') || '/',
				secure: named.has('secure'),
			}
			jar = jar.filter((c) => c.name !== cookie.name || c.host !== cookie.host || c.path !== cookie.path)
			const gone = Number(named.get('max-age')) <= 0 || Date.parse(named.get('expires') ?? '') < Date.now()
			if (!gone) jar.push(cookie)
		}
	}

	async function go(target: URL, sent: Sent): Promise<Page> {
		let url = target
		let { method, body, headers = {} } = sent
		const { origin } = target
		for (let i = 0; i < mostRedirects; i++) {
			if (sent.formAction && !allowed(url, sent.formAction, origin))
				throw new Error(`form-action ${sent.formAction.join(' ')} forbids ${url.href}`)
			if (url.origin !== origin) return page(url, 0, new Headers(), '')
			const cookie = matching(url).map((c) => `${c.name}=${c.value}`)
			const response = await fetch(url, {
				method,
				redirect: 'manual',
				headers: { accept: 'text/html', ...headers, ...(cookie.length > 0 && { cookie: cookie.join('; ') }) },
				...(body !== undefined && { body }),
			})
			keep(url, response.headers)
			const location = response.headers.get('location')
			if (response.status < 300 || response.status > 399 || !location)
				return page(url, response.status, response.headers, await response.text())
			url = new URL(location, url)
			method = 'GET'
			body = undefined
			headers = {}
		}
		throw new Error(`more than ${mostRedirects} redirects from ${target.href}`)
	}

	function page(url: URL, status: number, headers: Headers, html: string): Page {
		return {
			url,
			status,
			headers,
			html,
			text: decode(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' '),
			submit: (fields = {}, button) => {
				const form = forms(html).find((f) => button === undefined || f.buttons.has(button))
				if (!form)
					throw new Error(`no form${button ? ` with a button ${button}` : ''} at ${url.href}:\n${html}`)
				const unknown = Object.keys(fields).find((name) => !form.fields.has(name))
				if (unknown) throw new Error(`the form has no field ${unknown}`)
				const pressed = button === undefined ? undefined : form.buttons.get(button)
				return go(new URL(form.action, url), {
					method: 'POST',
					body: new URLSearchParams([
						...new Map([...form.fields, ...Object.entries(fields)]),
						...(pressed ?? []),
					]).toString(),
					headers: {
						'content-type': 'application/x-www-form-urlencoded',
						origin: url.origin,
						'sec-fetch-site': 'same-origin',
					},
					formAction: policy(headers).get('form-action') ?? ['*'],
				})
			},
			follow: (text) => {
				const link = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)</g)].find(
					(m) => decode(m[2] ?? '') === text,
				)
				if (!link) throw new Error(`no link ${text} at ${url.href}`)
				return go(new URL(decode(link[1] ?? ''), url), { method: 'GET' })
			},
		}
	}

	return {
		open: (url) => go(new URL(url), { method: 'GET' }),
		cookies: (url) => Object.fromEntries(matching(new URL(url)).map((c) => [c.name, c.value])),
	}
}

function forms(html: string) {
	return [...html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
		([, action = '', inside = '']) => {
			const attribute = (tag: string, name: string) =>
				decode(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
			const inputs = [...inside.matchAll(/<input[^>]*>/g)].map(([tag]) => tag)
			const buttons = [...inside.matchAll(/(<button[^>]*>)([^<]*)</g)]
			return {
				action: decode(action),
				fields: new Map(inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')])),
				buttons: new Map(
					buttons.map(([, tag = '', label = '']) => {
						const name = attribute(tag, 'name')
						return [decode(label), name ? [[name, attribute(tag, 'value')] as [string, string]] : []]
					}),
				),
			}
		},
	)
}

function policy(headers: Headers): Map<string, string[]> {
	const directives = (headers.get('content-security-policy') ?? '').split(';').filter((part) => part.trim())
	return new Map(
		directives.map((part) => part.trim().split(/\s+/)).map(([name = '', ...sources]) => [name, sources]),
	)
}

function allowed(url: URL, sources: string[], self: string): boolean {
	return sources.some(
		(source) =>
			source === '*' ||
			(source === "'self'" && url.origin === self) ||
			source === url.origin ||
			source === url.protocol,
	)
}

function decode(html: string): string {
	const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
	return html.replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) =>
		code ? String.fromCodePoint(Number(code)) : (named[name] ?? all),
	)
}
