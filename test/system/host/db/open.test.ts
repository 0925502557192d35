import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answered, type Database, mendable, openDatabase } from '../../../../host/db/index.ts'
import { parseDatabaseUrl, withoutPassword } from '../../../../host/db/url.ts'
import { root } from '../../../../host/lib/root.ts'
import { StartError } from '../../../../host/lib/start-error.ts'
import { cloneTemplate, dropDatabase } from '../../../kit/host.ts'

const migrationsFolder = join(root, 'host/db/migrations')
const log = pino({ level: 'silent' })
let url = ''
const opened: Database[] = []

beforeEach(async () => {
	url = await cloneTemplate()
})

afterEach(async () => {
	await Promise.all(opened.splice(0).map((database) => database.close()))
	await dropDatabase(url)
})

async function open(): Promise<Database> {
	const database = await openDatabase({ DATA_DIR: '', DATABASE_URL: url }, log, () => {})
	opened.push(database)
	return database
}

test('hosts that start together leave one schema', async () => {
	const [first] = await Promise.all([open(), open(), open()])
	const migrations = await first!.sql`select count(*)::int as n from drizzle.__drizzle_migrations`
	expect(migrations).toEqual([
		{ n: readdirSync(migrationsFolder).filter((name) => name.endsWith('.sql')).length },
	])
	expect(await first!.sql`select * from plans`).toEqual([])
})

// Proves: start.newer-database
test('a database newer than the code is refused by the name of the Berth that made it', async () => {
	const { sql } = await open()
	await sql`update settings set value = '"9.8.7"' where name = 'schema_version'`
	await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of tomorrow', ${Date.now() + 1e9})`
	const ours = readdirSync(migrationsFolder).filter((name) => name.endsWith('.sql')).length
	await expect(open()).rejects.toThrow(
		new RegExp(
			`made by Berth 9\\.8\\.7, schema ${ours + 1}; this is Berth [\\d.]+, schema ${ours}, an older build`,
		),
	)
})

// Proves: start.database-fault
test('a database that is not there is told in one sentence, and one that refuses, or is full, too', async () => {
	const config = { DATA_DIR: '', DATABASE_URL: url.replace(/\/\w+\?/, '/nowhere?') }
	const refused: unknown = await openDatabase(config, log, () => {}).catch((error) => error)
	expect(refused).toBeInstanceOf(StartError)
	expect(String(refused)).toMatch(/nowhere\S* is not there: database "nowhere" does not exist\. Create it/)
	expect(mendable({ code: '28P01', message: 'password authentication failed' })).toMatch(
		/does not let Berth in/,
	)
	expect(mendable(new Error('Failed query', { cause: { code: '53100', message: 'No space left' } }))).toMatch(
		/has no room: No space left/,
	)
	expect(mendable(new Error('a fault of ours'))).toBeNull()
})

// Proves: start.database-fault
test('what answers and is no Postgres is given up', async () => {
	const server = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400\r\n\r\n'))
	await once(server.listen(0, '127.0.0.1'), 'listening')
	const sql = postgres(`postgres://a@127.0.0.1:${(server.address() as AddressInfo).port}/a`, { max: 1 })
	await expect(answered(async () => sql`select 1`, 500)).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' })
	await sql.end({ timeout: 0 })
	server.close()
})

// Proves: start.foreign-database
test.each([
	[
		'an applied migration was another text',
		(sql) => sql`update drizzle.__drizzle_migrations set hash = 'another'`,
	],
	[
		'a migration was applied that this build does not have',
		(sql) => sql`
		insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the morning', 1795253263406)`,
	],
] as [string, (sql: Database['sql']) => Promise<unknown>][])(
	'a database is refused in one sentence and left alone when %s',
	async (_, change) => {
		const { sql } = await open()
		await change(sql)
		const before = await sql`select * from drizzle.__drizzle_migrations`
		const refused: unknown = await open().catch((error) => error)
		expect(refused).toBeInstanceOf(StartError)
		expect(String(refused)).toMatch(
			/another build of Berth .* Nothing was changed\. Start the build that made it/,
		)
		expect(await sql`select * from drizzle.__drizzle_migrations`).toEqual(before)
	},
)

test('SQL reads dates, bigints and JSON, though drizzle has migrated the same database', async () => {
	const { sql } = await open()
	const [row] = await sql`select 9007199254740991::bigint as n, now() as at, '{"a":1}'::json as j`
	expect(row).toEqual({ n: 9007199254740991, at: expect.any(Date), j: { a: 1 } })
})

test('a listener hears again, and is told so, when its connection was cut', async () => {
	const { sql, listen } = await open()
	const heard: string[] = []
	let listening = 0
	const { stop } = await listen(
		'test_channel',
		(payload) => heard.push(payload),
		() => listening++,
	)
	await sql`notify test_channel, 'one'`
	await expect.poll(() => heard).toEqual(['one'])
	await sql`
		select pg_terminate_backend(pid) from pg_stat_activity
		where query like 'listen%' and datname = current_database()`
	await expect.poll(() => listening).toBe(2)
	await sql`notify test_channel, 'two'`
	await expect.poll(() => heard).toEqual(['one', 'two'])
	await stop()
})

// Proves: start.database-url
test.each([
	[
		'postgres://u:p%40ss@db.example:6543/name',
		{ host: 'db.example', port: 6543, user: 'u', password: 'p@ss', database: 'name' },
	],
	[
		'postgres://u@/name?host=/run/pg',
		{ host: '/run/pg', path: '/run/pg/.s.PGSQL.5432', user: 'u', database: 'name' },
	],
	['postgresql://u@%2Frun%2Fpg:6000/name', { path: '/run/pg/.s.PGSQL.6000', database: 'name' }],
	['postgres://u@h/name?sslmode=require', { host: 'h', ssl: 'require' }],
	['postgres://u@[::1]:25432/name', { host: ['::1'], port: [25_432], database: 'name' }],
	[
		'postgres://u@h/name?application_name=berth%20eu&connect_timeout=3&sslmode=disable',
		{ host: 'h', connection: { application_name: 'berth eu' }, connect_timeout: 3 },
	],
])('DATABASE_URL %s is read', (address, expected) => {
	expect(parseDatabaseUrl(address)).toMatchObject(expected)
})

// Proves: start.database-url
test('a DATABASE_URL of another kind is refused', () => {
	expect(() => parseDatabaseUrl('mysql://h/name')).toThrow('DATABASE_URL must begin with postgres://')
})

// Proves: start.database-url
test('a Postgres at an IPv6 address is asked there', async () => {
	const server = createServer((socket) => void socket.on('error', () => {}).end())
	await once(server.listen(0, '::1'), 'listening')
	const { port } = server.address() as AddressInfo
	const sql = postgres({ ...parseDatabaseUrl(`postgres://a@[::1]:${port}/a`), max: 1 })
	await expect(answered(async () => sql`select 1`, 500)).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' })
	await sql.end({ timeout: 0 })
	server.close()
})

// Proves: start.database-url
test.each(['plain', 'a@b', 'a/b', 'a:b@c', '1/a?b'])(
	'the password %s of an address is not shown',
	(password) => {
		expect(withoutPassword(`postgres://u:${password}@h:5/name`)).toBe('postgres://u:…@h:5/name')
	},
)
