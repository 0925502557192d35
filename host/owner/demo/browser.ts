/**
 * A person with a browser, by plain HTTP: keeps cookies, follows redirects, fills the one form of each page. The pages
 * are the host's own and work without script; nothing about them is skipped.
 */
export interface Person {
	email: string
	password: string
}

interface Page {
	url: string
	html: string
}

const mostSteps = 12

/** From the address the command line shows to the page that says it is done. Tells of each page it was shown. */
export async function signInAs(
	person: Person,
	address: string,
	tell: (title: string) => void,
): Promise<void> {
	const cookies = new Map<string, string>()
	let page = await get(address, cookies)
	for (let step = 0; step < mostSteps; step++) {
		tell(titleOf(page))
		const form = formOf(page.html)
		if (!form) return
		if (form.fields.has('password')) {
			form.fields.set('email', person.email)
			form.fields.set('password', person.password)
		} else form.fields.set('decision', 'allow')
		page = await post(new URL(form.action, page.url), form.fields, cookies)
	}
	throw new Error(`the sign-in did not end: ${titleOf(page)} at ${page.url}`)
}

const get = (url: string, cookies: Map<string, string>) => follow(url, { method: 'GET' }, cookies)

function post(url: URL, fields: Map<string, string>, cookies: Map<string, string>): Promise<Page> {
	const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: url.origin }
	return follow(
		url.href,
		{ method: 'POST', headers, body: new URLSearchParams([...fields]).toString() },
		cookies,
	)
}

async function follow(first: string, sent: RequestInit, cookies: Map<string, string>): Promise<Page> {
	const { origin } = new URL(first)
	let url = first
	let init = sent
	for (let hop = 0; hop < mostSteps; hop++) {
		// Cookies are the host's; the command line's own loopback address gets none.
		const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
		const own = new URL(url).origin === origin && cookie !== ''
		const headers = { ...(init.headers as Record<string, string>), ...(own && { cookie }) }
		const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
		if (new URL(url).origin === origin) keep(answer.headers.getSetCookie(), cookies)
		const next = answer.headers.get('location')
		if (answer.status < 300 || answer.status > 399 || next === null) return { url, html: await answer.text() }
		url = new URL(next, url).href
		init = { method: 'GET' }
	}
	throw new Error(`too many redirects from ${first}`)
}

function keep(lines: string[], cookies: Map<string, string>): void {
	for (const line of lines) {
		const [pair = ''] = line.split(';')
		const at = pair.indexOf('=')
		const gone = /expires=Thu, 01 Jan 1970/i.test(line)
		if (gone) cookies.delete(pair.slice(0, at))
		else cookies.set(pair.slice(0, at), pair.slice(at + 1))
	}
}

function formOf(html: string): { action: string; fields: Map<string, string> } | null {
	const [, action = '', inside = ''] = /<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(html) ?? []
	if (action === '') return null
	const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
	const inputs = [...inside.matchAll(/<input[^>]*>/g)].map(([tag]) => tag)
	return {
		action,
		fields: new Map(inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')])),
	}
}

function titleOf({ html }: Page): string {
	const heading = /<h1[^>]*>([^<]*)</.exec(html)?.[1] ?? /<p>([^<]*)</.exec(html)?.[1] ?? ''
	return heading.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}
