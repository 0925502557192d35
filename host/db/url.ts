import { isIPv6 } from 'node:net'
import type postgres from 'postgres'
import { StartError } from '../lib/start-error.ts'

const encode =
	'Percent-encode what is special in user and password: @ is %40, / is %2F, : is %3A, ? is %3F, % is %25.'
/** As libpq has them. The driver checks the name of the certificate for verify-ca, too, and needs TLS for allow. */
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
const parameters = ['host', 'sslmode', 'application_name', 'connect_timeout']

/**
 * TCP, or a unix socket as `postgres://user@/name?host=/folder` or `postgres://user@%2Ffolder/name`. What is not understood
 * is refused: ignored, it would look as if it counted. No fault shows a part of the address that may be a password's.
 */
export function parseDatabaseUrl(url: string): postgres.Options<Record<string, postgres.PostgresType>> {
	if (!/^postgres(ql)?:\/\//.test(url))
		throw new StartError('DATABASE_URL must begin with postgres:// or postgresql://')
	const parts =
		/^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\[[^\]@/?]*\]|[^:/?@[\]]*)(?::(\d+))?(?:\/([^?@/]*))?(?:\?([^@]*))?$/.exec(
			url,
		)
	if (!parts)
		throw new StartError(
			`DATABASE_URL is not a Postgres address, as in postgres://user:password@host:5432/name. ${encode}`,
		)
	const [, user, password, hostPart = '', portPart, database, query] = parts
	const { host: hostParam, sslmode, application_name, connect_timeout } = paramsOf(query)
	const host = hostParam ?? (/^\[(.*)\]$/.exec(hostPart)?.[1] || decode(hostPart) || 'localhost')
	const port = whole(portPart ?? '5432', 1, 65_535, 'the port')
	if (hostPart.startsWith('[') && !isIPv6(host))
		throw new StartError('DATABASE_URL must have an IPv6 address between [ and ]')
	if (sslmode !== undefined && !sslModes.includes(sslmode))
		throw new StartError(`DATABASE_URL has an unknown sslmode: it must be one of ${sslModes.join(', ')}`)
	return {
		...(host.startsWith('/') ? { host, path: `${host}/.s.PGSQL.${port}` } : tcp(host, port)),
		...(user && { user: decode(user), username: decode(user) }),
		...(password && { password: decode(password) }),
		database: decode(database || user || 'postgres'),
		...(sslmode && sslmode !== 'disable' && { ssl: sslmode as 'require' }),
		...(application_name && { connection: { application_name } }),
		...(connect_timeout && { connect_timeout: whole(connect_timeout, 1, 600, 'connect_timeout') }),
	}
}

/** The driver splits a single host at its colons; its types do not have the list that it takes as well. */
const tcp = (host: string, port: number) =>
	isIPv6(host) ? { host: [host] as unknown as string, port: [port] as unknown as number } : { host, port }

function paramsOf(query = ''): Partial<Record<string, string>> {
	const given = [...new URLSearchParams(query)]
	for (const [at, [name]] of given.entries()) {
		if (!parameters.includes(name))
			throw new StartError(
				`DATABASE_URL has the parameter ${name}, which Berth does not know: it knows ${parameters.join(', ')}. Leave it out; for TLS set sslmode=require or sslmode=verify-full.`,
			)
		if (given.findIndex(([other]) => other === name) !== at)
			throw new StartError(`DATABASE_URL has the parameter ${name} twice: leave one`)
	}
	return Object.fromEntries(given)
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part)
	} catch {
		throw new StartError(`DATABASE_URL has a % that begins no percent-encoding. ${encode}`)
	}
}

function whole(text: string, min: number, max: number, what: string): number {
	const n = Number(text)
	if (!/^\d+$/.test(text) || n < min || n > max)
		throw new StartError(`DATABASE_URL: ${what} must be a whole number from ${min} to ${max}`)
	return n
}

/** For logs and errors; up to the last @, as a password may hold others. */
export function withoutPassword(url: string): string {
	return url.replace(/^(postgres(?:ql)?:\/\/[^:@]*):.*@/s, '$1:…@')
}
