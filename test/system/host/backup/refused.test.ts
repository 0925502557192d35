import { createHash } from 'node:crypto'
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../../../host/db/index.ts'
import { takeLock } from '../../../../host/db/lock.ts'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { root } from '../../../../host/lib/root.ts'
import {
	done,
	emptyDatabase,
	olderMigrations,
	onDatabase,
	passphrase,
	passphraseFile,
} from '../../../kit/backup.ts'
import { berth, temporary, terminal } from '../../../kit/berth.ts'
import { dropDatabase, startHost, type TestHost } from '../../../kit/host.ts'

// What a backup and a restore refuse, and that nothing is written then.

let host: TestHost
/** A backup of it that is whole, for all tests. */
const place = mkdtempSync(join(tmpdir(), 'berth-test-'))
const folder = join(place, 'backup')
const key = ['--passphrase-file', passphraseFile(place)]
const databases: string[] = []

beforeAll(async () => {
	host = await startHost()
	await host.account({ email: 'kept@example.com' })
	await done(['backup', folder, ...key], source())
})
afterAll(async () => {
	await host?.close()
	await Promise.all(databases.map(dropDatabase))
	rmSync(place, { recursive: true, force: true })
})

const source = () => ({ DATA_DIR: host.dataDir, DATABASE_URL: host.databaseUrl as string })

async function target(): Promise<{ DATA_DIR: string; DATABASE_URL: string }> {
	const url = await emptyDatabase()
	databases.push(url)
	return { DATA_DIR: join(temporary(), 'data'), DATABASE_URL: url }
}

/** For a test that changes it. */
function copied(): string {
	const copy = join(temporary(), 'copy')
	cpSync(folder, copy, { recursive: true })
	return copy
}

/** Tables of the database, and what DATA_DIR holds. */
const written = async ({ DATA_DIR, DATABASE_URL }: { DATA_DIR: string; DATABASE_URL: string }) => [
	...(await onDatabase(
		DATABASE_URL,
		(sql) => sql`select relname from pg_class where relnamespace = 'public'::regnamespace`,
	)),
	...(existsSync(DATA_DIR) ? readdirSync(DATA_DIR) : []),
]

/** As a program that has no idea of what it writes would leave it. */
function resum(copy: string): void {
	const names = readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter((name) =>
		/\.(gz|json)$/.test(name),
	)
	const lines = names.map(
		(name) =>
			`${createHash('sha256')
				.update(readFileSync(join(copy, name)))
				.digest('hex')}  ${name}\n`,
	)
	writeFileSync(join(copy, 'SHA256SUMS'), lines.join(''))
}

function change(copy: string, edit: (manifest: { migrations: object[] }) => void) {
	const file = join(copy, 'manifest.json')
	const manifest = JSON.parse(readFileSync(file, 'utf8'))
	edit(manifest)
	writeFileSync(file, JSON.stringify(manifest))
	resum(copy)
}

describe('a backup that is damaged', () => {
	// Proves: backup.damaged
	test('is refused before anything is written, by the name of its part', async () => {
		const damages: [(at: (name: string) => string) => void, RegExp][] = [
			[
				(at) => truncateSync(at('tables/accounts.copy.gz'), 40),
				/accounts\.copy\.gz is not as it was written/,
			],
			[(at) => appendFileSync(at('master-key.json'), ' '), /master-key\.json is not as it was written/],
			[(at) => rmSync(at('tables/runs.copy.gz')), /tables\/runs\.copy\.gz cannot be read/],
			[(at) => truncateSync(at('SHA256SUMS'), 200), /SHA256SUMS is cut off/],
			[(at) => truncateSync(at('manifest.json'), 0), /manifest\.json is not as it was written/],
			[(at) => rmSync(at('SHA256SUMS')), /is no backup: it has no SHA256SUMS/],
			[(at) => appendFileSync(at('SHA256SUMS'), `${'0'.repeat(64)}  ../passphrase\n`), /line that is none/],
		]
		const to = await target()
		for (const [damage, message] of damages) {
			const copy = copied()
			damage((name) => join(copy, name))
			const refused = await berth(['restore', copy, ...key], { env: to })
			expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(message)])
		}
		expect(await written(to)).toEqual([])
		expect(await done(['restore', folder, '--check'], to)).toMatchObject({ whole: true })
		expect(await written(to)).toEqual([])
	})

	// Proves: backup.all-or-nothing
	test('in a way that only the database finds leaves it empty, and another copy is restored', async () => {
		const copy = copied()
		// Whole by its digests: an account of a plan that is not there is refused at the end of its COPY.
		cpSync(join(copy, 'tables/approvals.copy.gz'), join(copy, 'tables/plans.copy.gz'))
		resum(copy)
		const to = await target()
		const refused = await berth(['restore', copy, ...key], { env: to })
		expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/foreign key/)])
		expect((await written(to)).filter((one) => one !== 'master.key')).toEqual([])
		await done(['restore', folder, ...key], to)
		const accounts = await onDatabase(to.DATABASE_URL, (sql) => sql`select email from accounts order by id`)
		expect(accounts).toContainEqual({ email: 'kept@example.com' })
	})
})

describe('a restore', () => {
	// Proves: backup.empty-place
	test('into a database in use, or over another master key, is refused and changes nothing', async () => {
		const inUse = await berth(['restore', folder, ...key], { env: source() })
		expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringMatching(/database is not empty/)])
		const to = await target()
		mkdirSync(to.DATA_DIR, { recursive: true })
		const other = `${Buffer.alloc(32, 7).toString('base64url')}\n`
		writeFileSync(join(to.DATA_DIR, 'master.key'), other, { mode: 0o600 })
		const refused = await berth(['restore', folder, ...key], { env: to })
		expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/holds another master key/)])
		expect(await written(to)).toEqual(['master.key'])
		expect(readFileSync(join(to.DATA_DIR, 'master.key'), 'utf8')).toBe(other)
	})

	test('into the DATA_DIR of a live process, or one that cannot be made, is refused in one sentence', async () => {
		const dir = temporary()
		mkdirSync(join(dir, 'postgres'))
		const release = takeLock(join(dir, 'postgres', 'host.lock'))
		for (const [DATA_DIR, why] of [
			[dir, /Another host is running on DATA_DIR/],
			['/proc/x', /ENOENT/],
		] as const) {
			const { code, stderr } = await berth(['restore', folder, '--without-master-key'], { env: { DATA_DIR } })
			expect([code, stderr]).toEqual([1, expect.stringMatching(why)])
			expect(stderr).not.toMatch(/\n\s+at /)
		}
		release?.()
	})

	// Proves: backup.master-key-encrypted, backup.passphrase-hidden
	test('needs the passphrase that was typed, which nothing shows', async () => {
		const own = temporary()
		const backup = join(own, 'backup')
		const typed = await terminal(['backup', backup], source(), [
			['Passphrase for the master key', `${passphrase}\r`],
			['The same again', `${passphrase}\r`],
		])
		expect([typed.code, typed.screen]).toEqual([0, expect.stringContaining('master key: encrypted')])
		const to = await target()
		const wrong = join(own, 'wrong')
		writeFileSync(wrong, 'another passphrase')
		const refused = await berth(['restore', backup, '--passphrase-file', wrong], { env: to })
		expect([refused.code, refused.stderr]).toEqual([
			1,
			expect.stringMatching(/does not open with this passphrase/),
		])
		const none = await berth(['restore', backup], { env: to })
		expect(none.code).toBe(2)
		expect(await written(to)).toEqual([])
		const given = await berth(['restore', backup, '--passphrase-file', '-', '--verbose'], {
			env: to,
			input: passphrase,
		})
		expect(given.code).toBe(0)
		for (const text of [typed.screen, refused.stderr, given.stdout, given.stderr])
			expect(text).not.toContain(passphrase)
		expect(readFileSync(join(to.DATA_DIR, 'master.key'), 'utf8')).toBe(
			readFileSync(join(host.dataDir, 'master.key'), 'utf8'),
		)
	})

	// Proves: backup.older-schema
	test('of a schema of tomorrow is refused; of an older one it is migrated', async () => {
		const copy = copied()
		change(copy, ({ migrations }) => migrations.push({ hash: 'of tomorrow', at: Date.now() }))
		const to = await target()
		const newer = await berth(['restore', copy, ...key], { env: to })
		expect([newer.code, newer.stderr]).toEqual([
			1,
			expect.stringMatching(/schema that this Berth .* does not know/),
		])
		expect(await written(to)).toEqual([])

		const old = await target()
		const known = olderMigrations(temporary(), 3)
		await migrate(parseDatabaseUrl(old.DATABASE_URL), known)
		await onDatabase(old.DATABASE_URL, async (sql) => {
			await sql`insert into plans (name, running_agents, paid) values ('of old', 3, false)`
		})
		const kept = join(temporary(), 'old')
		await done(['backup', kept, '--without-master-key'], old)
		await done(['restore', kept, '--without-master-key'], to)
		const [state] = await onDatabase(
			to.DATABASE_URL,
			(sql) => sql`
				select (select count(*)::int from drizzle.__drizzle_migrations) as migrations,
					to_regclass('public.refusals') is not null as newest,
					(select running_agents from plans where name = 'of old') as agents`,
		)
		const all = readdirSync(join(root, 'host/db/migrations')).filter((name) => name.endsWith('.sql'))
		expect(state).toEqual({ migrations: all.length, newest: true, agents: 3 })
	})
})

// Proves: backup.empty-place
test('a backup is written into no folder that holds something, and of no empty database', async () => {
	const used = temporary()
	passphraseFile(used)
	const full = await berth(['backup', used, '--without-master-key'], { env: source() })
	expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/is not empty/)])
	const nothing = await berth(['backup', join(used, 'b'), '--without-master-key'], { env: await target() })
	expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringMatching(/database is empty/)])
	expect(readdirSync(used)).toEqual(['passphrase'])
})

test('every table is in a backup but that of the leases of hosts', async () => {
	const there = await onDatabase(
		source().DATABASE_URL,
		(sql) =>
			sql`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
	)
	const { tables } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
		tables: { name: string }[]
	}
	expect([...tables.map(({ name }) => name), 'hosts'].sort()).toEqual(
		there.map(({ relname }) => relname).sort(),
	)
})
