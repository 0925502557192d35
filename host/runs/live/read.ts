import type { Entry } from '../../../runtime/wire/journal.ts'
import type { AccountRun, InFlight } from '../../api/runs.ts'
import type { Rows, RunStatus, Sql } from '../../db/index.ts'
import { type KnownDeployment, keptDays, type RetentionSettings } from '../../deployments/index.ts'
import { firstId, isId } from '../../lib/ids.ts'
import { isExpired, isKept } from './expiry.ts'
import type { RunRecord } from './types.ts'

/** JSON is read as text. */
type Row = Pick<
	Rows['runs'],
	| 'id'
	| 'deployment_id'
	| 'version'
	| 'lineage'
	| 'status'
	| 'error_code'
	| 'error_message'
	| 'created_at'
	| 'started_at'
	| 'completed_at'
> & { inputs: string; output: string | null; citations: string | null; usage: string | null }

const columns = (sql: Sql) => sql`
	id, deployment_id, version, lineage, status, inputs::text, output::text, citations::text, error_code, error_message, usage::text,
	created_at, started_at, completed_at`

const columnsOfRun = (sql: Sql) => sql`
	r.id, r.deployment_id, r.version, r.lineage, r.status, r.inputs::text, r.output::text, r.citations::text,
	r.error_code, r.error_message, r.usage::text, r.created_at, r.started_at, r.completed_at`

/** Rows of before these were counted. */
const whole = (usage: string) =>
	['failed_tool_calls', 'http_calls', 'web_searches'].reduce(
		(text, name) => (text.includes(`"${name}"`) ? text : text.replace(/\}$/, `,"${name}":0}`)),
		usage,
	)

const recordOfRow = (row: Row, kept_days: number | null): RunRecord => ({
	id: row.id,
	deployment: row.deployment_id,
	version: row.version,
	lineage: row.lineage,
	status: row.status,
	inputs: row.inputs,
	output: row.output,
	citations: row.citations,
	error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
	usage: row.usage && whole(row.usage),
	created_at: row.created_at.getTime(),
	started_at: row.started_at?.getTime() ?? null,
	completed_at: row.completed_at?.getTime() ?? null,
	kept_days,
})

interface DetailRow extends Row {
	deployment_name: string
	slug: string
	place: string
	key: string | null
	idempotency_key: string | null
	kept_days: number | null
}

/** A run of the account by its id alone, with where it is and what began it. */
export async function readRunOf(
	sql: Sql,
	config: RetentionSettings,
	accountId: string,
	id: string,
): Promise<{
	record: RunRecord
	name: string
	slug: string
	place: string
	key: string | null
	schedule: string | null
} | null> {
	if (!isId('run', id)) return null
	const [row] = await sql<DetailRow[]>`
		select ${columnsOfRun(sql)}, r.idempotency_key, d.name as deployment_name, d.slug, d.place, ${newestKey(sql)} as key,
			${keptDays(sql, config)} as kept_days
		from runs r join deployments d on d.id = r.deployment_id
		where r.id = ${id} and d.account_id = ${accountId}`
	const record = row && recordOfRow(row, row.kept_days)
	if (!record || isExpired(record)) return null
	// A schedule makes its run with a key of its own (host/schedules/fire.ts).
	const schedule =
		row.lineage === null ? /^(sch_[0-9a-z]{26}):/.exec(row.idempotency_key ?? '')?.[1] : undefined
	return {
		record,
		name: row.deployment_name,
		slug: row.slug,
		place: row.place,
		key: row.key,
		schedule: schedule ?? null,
	}
}

/** `lineage` undefined: whoever asks may see every run of the deployment. */
export interface Sight {
	deployment: string
	lineage: string | undefined
	/** What has expired is not seen. Left out, or null: everything is kept. */
	keptDays?: number | null
}

export async function readRun(
	sql: Sql,
	{ deployment, lineage, keptDays = null }: Sight,
	id: string,
): Promise<RunRecord | null> {
	if (!isId('run', id)) return null
	const [row] = await sql<Row[]>`
		select ${columns(sql)} from runs
		where id = ${id} and deployment_id = ${deployment} ${lineage === undefined ? sql`` : sql`and lineage = ${lineage}`}`
	const record = row && recordOfRow(row, keptDays)
	return record && !isExpired(record) ? record : null
}

export const liveStatuses: RunStatus[] = ['queued', 'running', 'waiting']

export async function listRuns(
	sql: Sql,
	{ deployment, lineage, keptDays = null }: Sight,
	{ status, cursor, limit }: { status?: RunStatus | 'live'; cursor?: string; limit: number },
): Promise<RunRecord[]> {
	const statuses = status === 'live' ? liveStatuses : status && [status]
	const rows = await sql<Row[]>`
		select ${columns(sql)} from runs r
		where deployment_id = ${deployment} ${lineage === undefined ? sql`` : sql`and lineage = ${lineage}`}
			${keptDays === null ? sql`` : sql`and ${isKept(sql, sql`${keptDays}::int`)}`}
			${statuses ? sql`and status = any(${statuses})` : sql``} ${cursor ? sql`and id < ${cursor}` : sql``}
		order by id desc limit ${limit + 1}`
	return rows.map((row) => recordOfRow(row, keptDays))
}

/** The run that holds an idempotency key, and the digest of the body it was made with. */
export async function readIdempotent(
	sql: Sql,
	{ id, keptDays }: Pick<KnownDeployment, 'id' | 'keptDays'>,
	lineage: string | null,
	key: string,
): Promise<{ record: RunRecord; body: string } | null> {
	const [row] = await sql<(Row & { idempotency_body: string })[]>`
		select ${columns(sql)}, idempotency_body from runs
		where deployment_id = ${id} and coalesce(lineage, '') = ${lineage ?? ''} and idempotency_key = ${key}`
	return row ? { record: recordOfRow(row, keptDays), body: row.idempotency_body } : null
}

/** Whether the journal goes as far as `seq`: nobody was sent an entry that is not in it. */
export async function reaches(sql: Sql, run: string, seq: number): Promise<boolean> {
	const rows = await sql`select 1 from journal where run_id = ${run} and last_seq >= ${seq} limit 1`
	return rows.length > 0
}

/** Committed entries after `seq`, in order. */
export async function readJournal(sql: Sql, run: string, seq: number): Promise<Entry[]> {
	const rows = await sql<{ entries: string }[]>`
		select entries from journal where run_id = ${run} and last_seq > ${seq} order by first_seq`
	return rows.flatMap((row) => (JSON.parse(row.entries) as Entry[]).filter((entry) => entry.seq > seq))
}

export async function liveOf(sql: Sql, deployment: string): Promise<InFlight[]> {
	return sql<InFlight[]>`
		select id as run, deployment_id as deployment, status from runs
		where deployment_id = ${deployment} and status in ('queued', 'running', 'waiting') order by id`
}

/** Live runs of an account over all its deployments, newest first. */
export async function listLive(
	sql: Sql,
	accountId: string,
	which: Which & { status?: RunStatus },
): Promise<AccountRun[]> {
	const { deployment, limit, status } = which
	const rows = await sql<AccountRow[]>`
		select ${accountColumns(sql)}
		from runs r join deployments d on d.id = r.deployment_id
		where d.account_id = ${accountId} and r.status in ('queued', 'running', 'waiting') and ${within(sql, which)}
			${deployment === undefined ? sql`` : sql`and r.deployment_id = ${deployment}`} ${chosen(sql, which)}
			${status === undefined ? sql`` : sql`and r.status = ${status}`}
		order by r.id desc ${limit === undefined ? sql`` : sql`limit ${limit + 1}`}`
	return rows.map(viewAccountRow)
}

/**
 * Runs of one status, or of any, likewise. Of each deployment as many as the page may hold are read, by index: its cost
 * does not grow with the number of runs.
 */
export async function listRunsOf(
	sql: Sql,
	config: RetentionSettings,
	accountId: string,
	status: 'succeeded' | 'failed' | 'cancelled' | 'all',
	which: Which & { limit: number },
): Promise<AccountRun[]> {
	const { deployment, limit } = which
	// Literals: a partial index is used for no parameter.
	const only = {
		succeeded: sql`and r.status = 'succeeded'`,
		failed: sql`and r.status = 'failed'`,
		cancelled: sql`and r.status = 'cancelled'`,
		all: sql``,
	}
	const rows = await sql<AccountRow[]>`
		select ${accountColumns(sql)}
		from (select d.*, ${keptDays(sql, config)} as kept_days from deployments d) d cross join lateral (
			select * from runs r where r.deployment_id = d.id ${only[status]} and ${within(sql, which)}
				${chosen(sql, which)} and ${isKept(sql, sql`d.kept_days`)}
			order by r.id desc limit ${limit + 1}
		) r
		where d.account_id = ${accountId} ${deployment === undefined ? sql`` : sql`and d.id = ${deployment}`}
		order by r.id desc limit ${limit + 1}`
	return rows.map(viewAccountRow)
}

interface Which {
	deployment?: string
	/** Of the error. */
	code?: string
	/** A run key, or the lineage of one, which is the id of its first key. */
	key?: string
	/** An id: older runs than that. */
	cursor?: string
	/** Milliseconds of the epoch: runs that were accepted then or later. */
	since?: number
	/** Runs that were accepted before. */
	until?: number
	limit?: number
}

/** By id, which begins with the time. */
const within = (sql: Sql, { cursor, since, until }: Which) => sql`
	r.id >= ${since === undefined ? 'run_' : firstId('run', since)} ${cursor === undefined ? sql`` : sql`and r.id < ${cursor}`}
	${until === undefined ? sql`` : sql`and r.id < ${firstId('run', until)}`}`

export const lineageOf = (sql: Sql, key: string) => sql`(select lineage from run_keys where id = ${key})`

/** Each has an index that begins with the deployment. */
const chosen = (sql: Sql, { code, key }: Which) => sql`
	${code === undefined ? sql`` : sql`and r.error_code = ${code} and r.status in ('failed', 'cancelled')`}
	${key === undefined ? sql`` : sql`and r.lineage = ${lineageOf(sql, key)}`}`

type AccountRow = Omit<AccountRun, 'created_at' | 'started_at' | 'completed_at' | 'error'> &
	Pick<Row, 'created_at' | 'started_at' | 'completed_at' | 'error_code' | 'error_message'>

/** Each with the newest key of its lineage. */
const accountColumns = (sql: Sql) => sql`
	r.id, r.deployment_id as deployment, d.name as deployment_name, r.version, r.status, r.created_at, r.started_at,
	r.completed_at, r.error_code, r.error_message, ${newestKey(sql)} as key`

const newestKey = (sql: Sql) => sql`
	(select k.id from run_keys k where k.deployment_id = r.deployment_id and k.lineage = r.lineage
		order by k.id desc limit 1)`

function viewAccountRow({ error_code, error_message, ...row }: AccountRow): AccountRun {
	return {
		...row,
		error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
		created_at: row.created_at.toISOString(),
		started_at: row.started_at?.toISOString() ?? null,
		completed_at: row.completed_at?.toISOString() ?? null,
	}
}
