import type { Entry } from '../../../runtime/wire/journal.ts'
import type { AccountApproval } from '../../api/approvals.ts'
import type { Sql } from '../../db/index.ts'
import { keptDays } from '../../deployments/index.ts'
import type { Places } from '../../places/index.ts'
import type { Config } from '../../settings/config.ts'
import { type DecisionRow, viewOf } from './approvals.ts'
import { isKept } from './expiry.ts'

// Over all deployments of an account. What waits is found by the runs that wait, what was decided by the decisions;
// the words of both stand in the journals.

export interface ApprovalParts {
	sql: Sql
	config: Pick<Config, 'CONNECTOR_QUESTION_SECONDS' | 'RETAIN_RUNS_DAYS'>
	places: Pick<Places, 'urlOf'>
}

/** Runs that wait at once, the newest of which are looked at. */
const waitingMax = 1000

interface Asked {
	id: string
	run: string
	deployment: string
	name: string
	slug: string
	place: string
	/** A connector's call is open meanwhile. */
	held: boolean
}

/** By id, which follows that of the run, newest first; one more than `limit` where there is more. */
export async function listAccountApprovals(
	parts: ApprovalParts,
	accountId: string,
	{ status, limit, cursor }: { status: 'pending' | 'all'; limit: number; cursor?: string },
): Promise<AccountApproval[]> {
	const { sql } = parts
	const [waiting, decided] = await Promise.all([
		readWaiting(sql, accountId, cursor),
		status === 'all' ? readDecided(parts, accountId, limit, cursor) : [],
	])
	const asked = [...new Map([...waiting, ...decided].map((one) => [one.id, one])).values()]
		.sort((a, b) => (a.id < b.id ? 1 : -1))
		.slice(0, limit + 1)
	const runs = [...new Set(asked.map(({ run }) => run))]
	const [entries, decisions] = await Promise.all([readRequests(sql, runs), readDecisions(sql, runs)])
	return asked.flatMap((one) => {
		const entry = entries.get(one.id)
		return entry ? [view(parts, one, entry, decisions)] : []
	})
}

function readWaiting(sql: Sql, accountId: string, cursor: string | undefined): Promise<Asked[]> {
	return sql<Asked[]>`
		select w.id, r.id as run, r.deployment, r.name, r.slug, r.place, r.held
		from (
			select r.id, d.id as deployment, d.name, d.slug, d.place, r.host_id is not null as held, r.waiting_for
			from deployments d join runs r on r.deployment_id = d.id and r.status = 'waiting'
			where d.account_id = ${accountId} and r.cancel_requested_at is null
			order by r.id desc limit ${waitingMax}
		) r cross join unnest(r.waiting_for) as w(id)
		where ${cursor === undefined ? true : sql`w.id < ${cursor}`}
			and not exists (select 1 from approvals a where a.run_id = r.id and a.id = w.id)`
}

function readDecided(
	{ sql, config }: ApprovalParts,
	accountId: string,
	limit: number,
	cursor: string | undefined,
): Promise<Asked[]> {
	return sql<Asked[]>`
		select a.id, r.*, false as held
		from approvals a cross join lateral (
			select r.id as run, d.id as deployment, d.name, d.slug, d.place
			from runs r join deployments d on d.id = r.deployment_id
			where r.id = a.run_id and d.account_id = ${accountId} and ${isKept(sql, keptDays(sql, config))}
			-- One run after the other, as far as the page goes, however few the planner believes to be kept.
			offset 0
		) r
		where a.account_id = ${accountId} and ${cursor === undefined ? true : sql`a.id < ${cursor}`}
		order by a.id desc limit ${limit + 1}`
}

/** Only the commits that ask for something are taken apart. */
async function readRequests(sql: Sql, runs: string[]): Promise<Map<string, Entry>> {
	const rows = await sql<{ entries: string }[]>`
		select j.entries from unnest(${runs}::text[]) as r(id) join journal j on j.run_id = r.id
		where j.entries like '%"approval.requested"%'`
	const requests = rows
		.flatMap(({ entries }) => JSON.parse(entries) as Entry[])
		.filter(({ type }) => type === 'approval.requested')
	return new Map(requests.map((entry) => [String(entry.data.id), entry]))
}

function readDecisions(sql: Sql, runs: string[]): Promise<DecisionRow[]> {
	return sql<DecisionRow[]>`
		select id, approved, note, content, account_id, decided_at from approvals where run_id = any(${runs})`
}

function view(
	{ config, places }: ApprovalParts,
	{ run, deployment, name, slug, place, held }: Asked,
	entry: Entry,
	decisions: DecisionRow[],
): AccountApproval {
	const openMs = config.CONNECTOR_QUESTION_SECONDS * 1000
	return {
		...viewOf({ id: run }, entry, decisions, false),
		deployment,
		deployment_name: name,
		deployment_url: places.urlOf({ place, slug }),
		expires_at: held ? new Date(entry.at + openMs).toISOString() : null,
	}
}
