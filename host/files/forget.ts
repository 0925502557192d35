import type { Sql, Tx } from '../db/index.ts'

const batchMax = 500

/** Of runs that are erased: deletes the files that no other run has. Answers how many. */
export async function dropUnused(sql: Sql | Tx, ids: string[]): Promise<number> {
	if (ids.length === 0) return 0
	const rows = await sql<{ blob: string }[]>`
		delete from files f where f.id = any(${ids}) and not exists (select 1 from run_files l where l.file_id = f.id)
		returning f.blob_id as blob`
	if (rows.length === 0) return 0
	const counts = new Map<string, number>()
	for (const { blob } of rows) counts.set(blob, (counts.get(blob) ?? 0) + 1)
	// In order, so that two hosts never wait for each other's rows crosswise.
	const blobs = [...counts.keys()].sort()
	await sql`
		with gone as (
			select b.id, g.n from file_blobs b join unnest(${blobs}::text[], ${blobs.map((id) => counts.get(id) ?? 0)}::int[])
				as g(id, n) on g.id = b.id order by b.id for update of b
		)
		update file_blobs b set refs = refs - gone.n from gone where b.id = gone.id`
	await sql`delete from file_blobs where id = any(${blobs}) and refs = 0`
	return rows.length
}

/** Uploads that no run has taken, what a crash has left of uploads, and links of runs that were never begun. */
export async function sweepFiles(sql: Sql): Promise<number> {
	await sql`
		delete from run_files l where created_at < now() - interval '1 day'
			and not exists (select 1 from runs r where r.id = l.run_id)`
	await sql`delete from file_blobs where refs = 0 and created_at < now() - interval '1 hour'`
	let swept = 0
	for (;;) {
		const dropped = await sql.begin(async (tx) => {
			const rows = await tx<{ id: string }[]>`
				select f.id from files f
				where f.expires_at < now() and not exists (select 1 from run_files l where l.file_id = f.id)
				limit ${batchMax}`
			return dropUnused(
				tx,
				rows.map(({ id }) => id),
			)
		})
		swept += dropped
		if (dropped < batchMax) return swept
	}
}

/** Of an account whose runs are erased. */
export async function forgetFiles(tx: Tx, account: string): Promise<number> {
	await tx`delete from run_files l using files f where f.id = l.file_id and f.account_id = ${account}`
	const { count } = await tx`delete from files where account_id = ${account}`
	await tx`delete from file_blobs where account_id = ${account}`
	return count
}
