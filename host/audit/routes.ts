import * as api from '../api/audit.ts'
import type { Auth } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { operator, owner } from '../http/operation.ts'
import { toPage } from '../http/page.ts'
import type { App } from '../http/route.ts'
import { auditHook } from './hook.ts'
import { readAudit } from './read.ts'
import type { Audit } from './write.ts'

interface AuditRouteParts {
	sql: Sql
	auth: Pick<Auth, 'requireOwner' | 'requireOperator'>
	audit: Audit
}

/** Before all routes whose answers are to be written down. */
export function auditRoutes(app: App, { sql, auth, audit }: AuditRouteParts): void {
	const operations = auditHook(app, audit)
	app.addHook('onClose', audit.close)
	const read = async (account: string | null, { since, limit, ...rest }: Query) => {
		requireKnown(operations, rest.operation)
		const from = since === undefined ? {} : { since: Date.parse(since) }
		return toPage(await readAudit(sql, { ...rest, ...from, limit, account }), limit, (row) => row)
	}
	app.get(
		'/v1/audit',
		{
			schema: { querystring: api.AuditQuery, response: { 200: api.AuditPage } },
			config: owner(
				'listAudit',
				'What you changed, and what operators changed of your account, newest first',
			),
		},
		async (request) => read((await auth.requireOwner(request)).accountId, request.query),
	)
	app.get(
		'/v1/admin/audit',
		{
			schema: { querystring: api.AdminAuditQuery, response: { 200: api.AuditPage } },
			config: operator(
				'listAuditAsOperator',
				'What anybody changed, newest first; `account`: of one of them',
			),
		},
		async (request) => {
			await auth.requireOperator(request)
			const { account, ...query } = request.query
			return read(account ?? null, query)
		},
	)
}

/** A name that was mistyped would list nothing, as if nothing had been done. */
function requireKnown(operations: ReadonlySet<string>, asked: string | undefined): void {
	if (asked === undefined || operations.has(asked)) return
	const known = [...operations].sort().join(', ')
	throw new Problem(
		'invalid_request',
		`The audit log has no operation ${JSON.stringify(asked)}. It has: ${known}.`,
	)
}

interface Query {
	operation?: string | undefined
	since?: string | undefined
	cursor?: string | undefined
	limit: number
}
