import type { Sql, Tx } from '../db/index.ts'
import { type Ended, type Erased, eraseRuns } from '../runs/index.ts'

const batchMax = 500

/** All ended runs of an account, and deliveries that tell of none, a batch a statement: nothing else waits for it. */
export async function eraseAllRuns(sql: Sql, account: string): Promise<Erased> {
	const sum: Erased = { runs: 0, journal: 0, approvals: 0, deliveries: 0, attempts: 0, files: 0 }
	for (;;) {
		const found = await sql<Ended[]>`
			select r.id, r.deployment_id, r.created_at, r.completed_at
			from deployments d cross join lateral (
				select id, deployment_id, created_at, completed_at from runs
				where deployment_id = d.id and completed_at is not null order by id limit ${batchMax}
			) r
			where d.account_id = ${account} limit ${batchMax}`
		if (found.length === 0) break
		const erased = await sql.begin((tx) => eraseRuns(tx, found, { journal: true }))
		for (const name of Object.keys(sum) as (keyof Erased)[]) sum[name] += erased[name]
	}
	for (;;) {
		const gone = await sql.begin((tx) => eraseDeliveries(tx, account))
		if (!gone || gone.deliveries === 0) return sum
		sum.deliveries += gone.deliveries
		sum.attempts += gone.attempts
	}
}

/** A batch; locked first, as those of runs are (host/runs/retention/erase.ts). */
async function eraseDeliveries(tx: Tx, account: string) {
	const rows = await tx<{ id: string }[]>`
		select id from deliveries where id in (
			select t.id from deployments d join endpoints p on p.deployment_id = d.id
			cross join lateral (
				select id from deliveries where endpoint_id = p.id order by id limit ${batchMax}
			) t
			where d.account_id = ${account} limit ${batchMax}
		)
		order by id for update`
	const told = rows.map(({ id }) => id)
	const [gone] = await tx<Pick<Erased, 'deliveries' | 'attempts'>[]>`
		with tried as (delete from attempts where delivery_id = any(${told}) returning 1
		), gone as (delete from deliveries where id = any(${told}) returning 1)
		select (select count(*) from gone)::int as deliveries, (select count(*) from tried)::int as attempts`
	return gone
}
