// What an older build has written is opened by this one, and a run that waited through the change goes on.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import type { ApprovalList } from '../../../../host/api/approvals.ts'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { root } from '../../../../host/lib/root.ts'
import { until } from '../../../kit/agent.ts'
import { cloneTemplate, dropDatabase, startHost } from '../../../kit/host.ts'

/** Rows as the build of one commit wrote them, with the migrations that it knew. */
interface Kept {
	migrations: string[]
	master_key: string
	token: string
	run_key: string
	/** Path of the deployment. */
	slug: string
	run: string
	rows: Record<string, string[]>
}

const folder = join(import.meta.dirname, 'kept')

// Proves: approval.kept-over-upgrade, start.older-rows
test.each(readdirSync(folder))(
	'a database written by an older build (%s) is opened, and its waiting run is approved and succeeds',
	async (file) => {
		const kept = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Kept
		const url = await cloneTemplate()
		const dataDir = mkdtempSync(join(tmpdir(), 'berth-kept-'))
		writeFileSync(join(dataDir, 'master.key'), Buffer.from(kept.master_key, 'base64'), { mode: 0o600 })
		await restore(url, kept)
		const host = await startHost({ database: url, dataDir })
		try {
			const at = (path: string) => `${kept.slug}/runs/${kept.run}${path}`
			const as = { token: kept.run_key }
			expect((await host.call(at(''), as)).body).toMatchObject({ status: 'waiting' })
			const [approval] = (await host.call<ApprovalList>(at('/approvals'), as)).body.data
			const json = { decision: 'approve', digest: approval?.digest }
			expect((await host.call(at(`/approvals/${approval?.id}`), { token: kept.token, json })).status).toBe(
				200,
			)
			const run = await until(async () => {
				const { body } = await host.call(at(''), as)
				return body.completed_at !== null && body
			})
			expect(run).toMatchObject({ status: 'succeeded', output: 'sent to a' })
			const memory = await host.call(`${kept.slug}/memory/notes.md`, { token: kept.token })
			expect(memory.body).toMatchObject({ content: 'kept' })
		} finally {
			await host.close()
			rmSync(dataDir, { recursive: true })
			await dropDatabase(url)
		}
	},
)

async function restore(url: string, { migrations, rows }: Kept): Promise<void> {
	const sql = postgres({ ...parseDatabaseUrl(url), max: 1, onnotice: () => {} })
	await sql`drop schema drizzle cascade`
	await sql`drop schema public cascade`
	await sql`create schema public`
	await sql`create schema drizzle`
	await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
	for (const tag of migrations)
		await sql.unsafe(readFileSync(join(root, 'host/db/migrations', `${tag}.sql`), 'utf8'))
	// Rows in any order: as a restore does, without asking what they refer to.
	await sql`set session_replication_role = replica`
	for (const [table, found] of Object.entries(rows))
		for (const row of found)
			await sql.unsafe(
				`insert into ${table} select * from json_populate_record(null::${table}, $1::text::json)`,
				[row],
			)
	// The next migration takes the next number, as in the database that the rows are of.
	await sql`
		select setval(pg_get_serial_sequence('drizzle.__drizzle_migrations', 'id'), max(id))
		from drizzle.__drizzle_migrations`
	await sql.end()
}
