import { EgressError, type OwnListener } from './types.ts'

export interface Own {
	origins: Set<string>
	listener: string
	port: number
	paths: Set<string>
	pattern: RegExp | undefined
}

export function parseOwn(own: OwnListener): Own {
	const listener = new URL(own.listener)
	return {
		origins: new Set([own.origin, own.place ?? own.origin].map((url) => new URL(url).origin)),
		listener: listener.origin,
		port: Number(listener.port || 80),
		paths: new Set(own.paths),
		pattern: own.pattern === undefined ? undefined : new RegExp(own.pattern),
	}
}

/** What a URL must be before anything is connected. Credentials in it would end up in logs. */
export function parseTarget(url: string | URL): URL {
	const target = typeof url === 'string' ? URL.parse(url) : url
	if (!target) throw new EgressError('egress_refused', 'the address is no URL')
	if (target.protocol !== 'https:' && target.protocol !== 'http:') {
		throw new EgressError(
			'egress_refused',
			`${target.protocol}// addresses are not allowed, only http and https`,
		)
	}
	if (target.username || target.password) {
		throw new EgressError(
			'egress_refused',
			`${target.host}: an address with a user name or password is not allowed`,
		)
	}
	return target
}

export const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80))

export const isOwnPath = ({ pathname }: URL, { paths, pattern }: Own) =>
	paths.has(pathname) || pattern?.test(pathname) === true

/** The `Host` that our own listener is called by; undefined: the target is elsewhere. `berth.example.` is `berth.example`. */
export function ownHost({ protocol, hostname, port }: URL, { origins }: Own): string | undefined {
	const host = hostname.replace(/\.$/, '') + (port && `:${port}`)
	return origins.has(`${protocol}//${host}`) ? host : undefined
}
