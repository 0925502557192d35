import type { FailureGroup } from '../../api/failures.ts'
import type { Sql } from '../../db/index.ts'
import { iso, keptDays, type RetentionSettings } from '../../deployments/index.ts'
import { firstId } from '../../lib/ids.ts'
import { isKept } from './expiry.ts'
import { lineageOf } from './read.ts'

// Failures of an account, in groups: so that a thousand of one kind are one line.

/** Of the newest failures; the oldest of more are not looked at. */
const lookedAtMax = 10_000
const refusedMax = 1000

export interface FailuresAsked {
	/** Milliseconds of the epoch. Runs count by when they were accepted. */
	since: number
	until?: number
	deployment?: string
	code?: string
	key?: string
	limit: number
}

type Row = Omit<FailureGroup, 'first_at' | 'last_at' | 'kind'> & {
	first_at: Date
	last_at: Date
	looked_at: number
}

export async function readFailures(
	sql: Sql,
	config: RetentionSettings,
	accountId: string,
	asked: FailuresAsked,
): Promise<{ data: FailureGroup[]; total: number; truncated: boolean }> {
	const [failed, refused] = await Promise.all([
		readFailed(sql, config, accountId, asked),
		asked.key === undefined ? readRefused(sql, accountId, asked) : [],
	])
	const groups = [
		...failed.map((row) => view('run', row)),
		...refused.slice(0, refusedMax).map((row) => view('refused', row)),
	].sort((a, b) => (a.last_at < b.last_at ? 1 : -1))
	return {
		data: groups.slice(0, asked.limit),
		total: groups.reduce((sum, { count }) => sum + count, 0),
		truncated:
			groups.length > asked.limit ||
			(failed[0]?.looked_at ?? 0) >= lookedAtMax ||
			refused.length > refusedMax,
	}
}

const view = (
	kind: FailureGroup['kind'],
	{ looked_at: _, first_at, last_at, ...row }: Row,
): FailureGroup => ({
	kind,
	...row,
	first_at: iso(first_at),
	last_at: iso(last_at),
})

/** What differs from failure to failure of one kind: ids, and numbers of all sorts. */
const alike = (sql: Sql, column: 'error_message' | 'detail') => sql`
	regexp_replace(coalesce(${sql(column)}, ''), '\\m[a-z]{2,8}_[0-9a-z]{26}\\M|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+', '#', 'g')`

/** Of each deployment the newest are read, by index. */
function readFailed(
	sql: Sql,
	config: RetentionSettings,
	accountId: string,
	asked: FailuresAsked,
): Promise<Row[]> {
	const { since, until, deployment, code, key } = asked
	return sql<Row[]>`
		with failed as (
			select d.id as deployment, d.name as deployment_name, r.*
			from (select d.*, ${keptDays(sql, config)} as kept_days from deployments d) d cross join lateral (
				select r.id, r.error_code, r.error_message, r.lineage, r.created_at from runs r
				where r.deployment_id = d.id and r.status = 'failed' and r.id >= ${firstId('run', since)}
					${until === undefined ? sql`` : sql`and r.id < ${firstId('run', until)}`}
					${code === undefined ? sql`` : sql`and r.error_code = ${code}`}
					${key === undefined ? sql`` : sql`and r.lineage = ${lineageOf(sql, key)}`}
					and ${isKept(sql, sql`d.kept_days`)}
				order by r.id desc limit ${lookedAtMax}
			) r
			where d.account_id = ${accountId} ${deployment === undefined ? sql`` : sql`and d.id = ${deployment}`}
			order by r.id desc limit ${lookedAtMax}
		)
		select deployment, deployment_name, coalesce(error_code, '') as code,
			coalesce((array_agg(error_message order by id desc))[1], '') as message,
			count(*)::int as count, min(created_at) as first_at, max(created_at) as last_at, max(id) as last_run,
			array(select max(k.id) from run_keys k
				where k.deployment_id = f.deployment and k.lineage = any(array_agg(distinct f.lineage))
				group by k.lineage) as keys,
			'[]'::json as paths, (select count(*)::int from failed) as looked_at
		from failed f group by deployment, deployment_name, error_code, ${alike(sql, 'error_message')}`
}

/** They are kept by the hour: an hour counts whole, once it reaches into the time. */
function readRefused(sql: Sql, accountId: string, asked: FailuresAsked): Promise<Row[]> {
	const { since, until, deployment, code } = asked
	return sql<Row[]>`
		select d.id as deployment, d.name as deployment_name, f.code,
			(array_agg(f.detail order by f.last_at desc))[1] as message,
			sum(f.count)::float8 as count, min(f.hour) as first_at, max(f.last_at) as last_at, null as last_run,
			'{}'::text[] as keys, (array_agg(f.paths order by f.last_at desc))[1] as paths, 0 as looked_at
		from deployments d join refusals f on f.deployment_id = d.id and f.last_at >= to_timestamp(${since}::float8 / 1000)
			and f.hour > to_timestamp(${since}::float8 / 1000) - interval '1 hour'
			${until === undefined ? sql`` : sql`and f.hour < to_timestamp(${until}::float8 / 1000)`}
			${code === undefined ? sql`` : sql`and f.code = ${code}`}
		where d.account_id = ${accountId} ${deployment === undefined ? sql`` : sql`and d.id = ${deployment}`}
		group by d.id, d.name, f.code, ${alike(sql, 'detail')}
		order by max(f.last_at) desc limit ${refusedMax + 1}`
}
