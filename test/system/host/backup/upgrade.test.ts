import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { migrate, migrationFiles } from '../../../../host/db/index.ts'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { done, emptyDatabase, olderMigrations, onDatabase } from '../../../kit/backup.ts'
import { berth, temporary } from '../../../kit/berth.ts'
import { dropDatabase } from '../../../kit/host.ts'

// `berth upgrade` before a newer build takes over a database that hosts of an older one run on.

const all = migrationFiles().length
const databases: string[] = []
afterAll(() => Promise.all(databases.map(dropDatabase)))

async function place() {
	const url = await emptyDatabase()
	databases.push(url)
	return { DATA_DIR: join(temporary(), 'data'), DATABASE_URL: url }
}
const applied = (url: string) =>
	onDatabase(url, async (sql) => {
		const [row] = await sql`select count(*)::int as n from drizzle.__drizzle_migrations`
		return row?.n as number
	})

// Proves: install.upgrade, install.upgrade-check
test('an older schema under a running host is looked at, and then brought up to this build', async () => {
	const env = await place()
	await migrate(parseDatabaseUrl(env.DATABASE_URL), olderMigrations(temporary(), 7))
	await onDatabase(env.DATABASE_URL, async (sql) => {
		await sql`
			insert into hosts (id, lease_until, version, address)
			values ('hst_here', now() + interval '1 minute', '0.0.9', 'http://10.0.0.1:8787'), ('hst_gone', now(), '0.0.8', '')`
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, seed, prelude)
			values ('run_a', 'dep', 1, 'waiting', '{}', 's', 'sha256:of two releases ago'),
				('run_b', 'dep', 1, 'running', '{}', 's', null), ('run_c', 'dep', 1, 'failed', '{}', 's', 'sha256:old')`
	})
	const found = {
		pending_migrations: all - 7,
		hosts: [{ id: 'hst_here', version: '0.0.9', address: 'http://10.0.0.1:8787' }],
		live_runs: 2,
		lost_runs: 1,
		fault: null,
	}
	expect(await done(['upgrade', '--check'], env)).toMatchObject({ ...found, done: false })
	expect(await applied(env.DATABASE_URL)).toBe(7)
	expect(await done(['upgrade'], env)).toMatchObject({ ...found, done: true })
	expect(await applied(env.DATABASE_URL)).toBe(all)
	const { code, stdout } = await berth(['upgrade', '--check'], { env })
	expect(code).toBe(0)
	expect(stdout).toMatch(/^The schema is that of this build/)
	expect(stdout).toContain('Host hst_here, Berth 0.0.9, http://10.0.0.1:8787 runs on it.')
	expect(stdout).toContain('1 of them began two releases ago')
})

// Proves: install.upgrade
test('an empty database gets the schema; one of tomorrow and no database are refused in words', async () => {
	const env = await place()
	expect(await done(['upgrade'], env)).toMatchObject({ made_by: null, pending_migrations: all, done: true })
	await onDatabase(
		env.DATABASE_URL,
		(sql) =>
			sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('tomorrow', ${Date.now() + 1e9})`,
	)
	for (const args of [['upgrade', '--check'], ['upgrade']]) {
		const { code, stderr } = await berth(args, { env })
		expect([code, stderr]).toEqual([1, expect.stringMatching(/an older build/)])
	}
	const nowhere = await berth(['upgrade', '--check'], { env: { DATA_DIR: join(temporary(), 'none') } })
	expect([nowhere.code, nowhere.stderr]).toEqual([
		1,
		expect.stringMatching(/There is no database in DATA_DIR/),
	])
})
