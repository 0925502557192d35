import type postgres from 'postgres'
import { StartError } from '../lib/start-error.ts'

/** TCP, or a unix socket as `postgres://user@/name?host=/folder` or `postgres://user@%2Ffolder/name`. */
export function parseDatabaseUrl(url: string): postgres.Options<Record<string, postgres.PostgresType>> {
	if (!/^postgres(ql)?:\/\//.test(url))
		throw new StartError('DATABASE_URL must begin with postgres:// or postgresql://')
	const parts =
		/^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^:/?]*)(?::(\d+))?(?:\/([^?]*))?(?:\?(.*))?$/.exec(
			url,
		)
	if (!parts) throw new StartError('DATABASE_URL is not a Postgres address')
	const [, user, password, hostPart, port, database, query] = parts
	const params = new URLSearchParams(query)
	const host = params.get('host') ?? decodeURIComponent(hostPart || 'localhost')
	const sslmode = params.get('sslmode')
	return {
		...(host.startsWith('/')
			? { host, path: `${host}/.s.PGSQL.${port ?? 5432}` }
			: { host, port: Number(port ?? 5432) }),
		...(user && { user: decodeURIComponent(user), username: decodeURIComponent(user) }),
		...(password && { password: decodeURIComponent(password) }),
		database: decodeURIComponent(database || user || 'postgres'),
		...(sslmode && sslmode !== 'disable' && { ssl: sslmode as 'require' }),
	}
}

/** For logs and errors. */
export function withoutPassword(url: string): string {
	return url.replace(/^(postgres(?:ql)?:\/\/[^:@/]*):[^@/]*@/, '$1:…@')
}
