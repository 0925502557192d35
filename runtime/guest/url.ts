/** URL and URLSearchParams for addresses with an authority (`scheme://…`), enough to build and take apart what tools return. */
import { define } from './globals.ts'

export function installUrl(): void {
	define(globalThis, 'URL', Url)
	define(globalThis, 'URLSearchParams', SearchParams)
}

const ABSOLUTE =
	/^([a-z][a-z0-9+.-]*):\/\/(?:([^/?#@:]*)(?::([^/?#@]*))?@)?(\[[^\]/?#]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(\?[^#]*)?(#.*)?$/i
const DEFAULT_PORTS: Record<string, string> = {
	'http:': '80',
	'https:': '443',
	'ws:': '80',
	'wss:': '443',
	'ftp:': '21',
}

class Url {
	protocol: string
	username: string
	password: string
	hostname: string
	port: string
	pathname: string
	hash: string
	readonly searchParams: SearchParams

	constructor(input: unknown, base?: unknown) {
		const text = String(input).trim()
		const match =
			ABSOLUTE.exec(text) ?? (base === undefined ? null : ABSOLUTE.exec(resolve(text, new Url(base))))
		if (!match) throw new TypeError(`Invalid URL: ${text.slice(0, 200)}`)
		const [
			,
			scheme = '',
			username = '',
			password = '',
			host = '',
			port = '',
			path = '',
			search = '',
			hash = '',
		] = match
		this.protocol = `${scheme.toLowerCase()}:`
		this.username = username
		this.password = password
		this.hostname = host.toLowerCase()
		if (this.hostname === '' && this.protocol !== 'file:') throw new TypeError('Invalid URL: no host')
		this.port = port === DEFAULT_PORTS[this.protocol] ? '' : port
		this.pathname = encode(withoutDots(path === '' ? '/' : path))
		this.hash = hash === '#' ? '' : encode(hash)
		this.searchParams = new SearchParams(search)
	}
	static canParse(input: unknown, base?: unknown): boolean {
		try {
			new Url(input, base)
			return true
		} catch {
			return false
		}
	}
	get host(): string {
		return this.port === '' ? this.hostname : `${this.hostname}:${this.port}`
	}
	get origin(): string {
		return `${this.protocol}//${this.host}`
	}
	get search(): string {
		const text = this.searchParams.toString()
		return text === '' ? '' : `?${text}`
	}
	/** Everything before the path. */
	get start(): string {
		const password = this.password === '' ? '' : `:${this.password}`
		const user = this.username === '' && password === '' ? '' : `${this.username}${password}@`
		return `${this.protocol}//${user}${this.host}`
	}
	get href(): string {
		return `${this.start}${this.pathname}${this.search}${this.hash}`
	}
	toString(): string {
		return this.href
	}
	toJSON(): string {
		return this.href
	}
}

function resolve(relative: string, base: Url): string {
	if (relative.startsWith('//')) return `${base.protocol}${relative}`
	if (relative.startsWith('/')) return `${base.start}${relative}`
	if (relative.startsWith('?')) return `${base.start}${base.pathname}${relative}`
	if (relative.startsWith('#') || relative === '')
		return `${base.start}${base.pathname}${base.search}${relative}`
	return `${base.start}${base.pathname.slice(0, base.pathname.lastIndexOf('/') + 1)}${relative}`
}

function withoutDots(path: string): string {
	const out: string[] = []
	const parts = path.split('/')
	parts.forEach((part, i) => {
		const last = i === parts.length - 1
		if (part === '..') {
			if (out.length > 1) out.pop()
			if (last) out.push('')
		} else if (part !== '.') out.push(part)
		else if (last) out.push('')
	})
	return out.join('/')
}

function encode(text: string): string {
	return text.toWellFormed().replace(/[^!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~|^]/gu, encodeURIComponent)
}

class SearchParams {
	#pairs: [string, string][] = []

	constructor(init: string | Record<string, string> | Iterable<readonly [string, string]> = '') {
		if (typeof init === 'string') {
			for (const part of init.replace(/^\?/, '').split('&')) {
				if (part === '') continue
				const [name = '', ...value] = part.split('=')
				this.#pairs.push([decode(name), decode(value.join('='))])
			}
		} else {
			const pairs = Symbol.iterator in init ? init : Object.entries(init)
			for (const [name, value] of pairs as Iterable<[string, string]>) this.append(name, value)
		}
	}
	append(name: string, value: unknown): void {
		this.#pairs.push([String(name), String(value)])
	}
	delete(name: string): void {
		this.#pairs = this.#pairs.filter(([key]) => key !== name)
	}
	get(name: string): string | null {
		return this.#pairs.find(([key]) => key === name)?.[1] ?? null
	}
	getAll(name: string): string[] {
		return this.#pairs.filter(([key]) => key === name).map(([, value]) => value)
	}
	has(name: string): boolean {
		return this.#pairs.some(([key]) => key === name)
	}
	set(name: string, value: unknown): void {
		const first = this.#pairs.find(([key]) => key === name)
		if (first) first[1] = String(value)
		else this.#pairs.push([name, String(value)])
		this.#pairs = this.#pairs.filter((pair) => first === undefined || pair === first || pair[0] !== name)
	}
	sort(): void {
		this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
	}
	get size(): number {
		return this.#pairs.length
	}
	entries(): IterableIterator<[string, string]> {
		return this.#pairs.map(([name, value]): [string, string] => [name, value]).values()
	}
	keys(): IterableIterator<string> {
		return this.#pairs.map(([name]) => name).values()
	}
	values(): IterableIterator<string> {
		return this.#pairs.map(([, value]) => value).values()
	}
	forEach(run: (value: string, name: string) => void): void {
		for (const [name, value] of this.#pairs) run(value, name)
	}
	[Symbol.iterator](): IterableIterator<[string, string]> {
		return this.entries()
	}
	toString(): string {
		return this.#pairs.map(([name, value]) => `${form(name)}=${form(value)}`).join('&')
	}
}

function form(text: string): string {
	return encodeURIComponent(text.toWellFormed())
		.replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
		.replaceAll('%20', '+')
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text.replaceAll('+', ' '))
	} catch {
		return text
	}
}
