// Contract 12 (`DATABASE_URL` unset): the embedded database belongs to one host, keeps what it has acknowledged through
// any kill, and never outlives its host.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const owner = fileURLToPath(new URL('./owner.ts', import.meta.url))
let dir = ''
const owners: ChildProcess[] = []
const clients: postgres.Sql[] = []

beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), 'berth-db-'))
})

afterEach(async () => {
	await Promise.all(clients.splice(0).map((sql) => sql.end({ timeout: 1 })))
	for (const child of owners.splice(0)) await end(child, 'SIGTERM')
	rmSync(dir, { recursive: true, force: true })
})

interface Opened {
	pid: number
	connection: { host: string; path: string; user: string; database: string }
}

/** What the owner says first: where its server is, or why there is none. */
async function own(dataDir = dir): Promise<{ child: ChildProcess; said: string }> {
	const child = spawn(process.execPath, [owner, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
	owners.push(child)
	const [said] = await once(child.stdout as NodeJS.ReadableStream, 'data')
	return { child, said: String(said).trim() }
}

async function open(dataDir = dir): Promise<Opened & { child: ChildProcess; sql: postgres.Sql }> {
	const { child, said } = await own(dataDir)
	const opened = JSON.parse(said) as Opened
	const sql = postgres({ ...opened.connection, max: 1, onnotice: () => {} })
	clients.push(sql)
	return { ...opened, child, sql }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	const exited = once(child, 'exit')
	child.kill(signal)
	await exited
}

function lives(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch {
		return false
	}
}

test('the embedded database syncs to disk and listens on nothing but its socket when it starts', async () => {
	const { sql } = await open()
	const [row] = await sql`
		select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
			current_setting('listen_addresses') as addresses, current_user as user`
	expect(row).toEqual({ fsync: 'on', commit: 'on', addresses: '', user: 'app' })
})

test('the embedded database is made anew when its making was cut short', async () => {
	mkdirSync(join(dir, 'postgres', 'data'), { recursive: true })
	writeFileSync(join(dir, 'postgres', 'data', 'PG_VERSION'), '18\n')
	const { sql } = await open()
	expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
	expect(existsSync(join(dir, 'postgres', 'init.ok'))).toBe(true)
})

test('a second host is refused and told why when the first still runs', async () => {
	const first = await open()
	const second = await own()
	expect(second.said).toContain(`Another host is running on DATA_DIR ${dir}`)
	expect(second.said).toContain('DATABASE_URL')
	expect(await first.sql`select 1 as one`).toEqual([{ one: 1 }])
})

test('the server is gone and its rows are kept when its host is killed', async () => {
	const first = await open()
	await first.sql`create table kept (n int)`
	await first.sql`insert into kept values (1)`
	await end(first.child, 'SIGKILL')
	await vi.waitFor(() => expect(lives(first.pid)).toBe(false), { timeout: 5_000, interval: 10 })
	const second = await open()
	expect(await second.sql`select n from kept`).toEqual([{ n: 1 }])
})

test('the server comes back with its rows when it is killed under its host', async () => {
	const { pid, sql } = await open()
	await sql`create table kept (n int)`
	await sql`insert into kept values (1)`
	process.kill(pid, 'SIGKILL')
	const file = join(dir, 'postgres', 'data', 'postmaster.pid')
	const now = () => Number.parseInt(readFileSync(file, 'utf8'), 10)
	await vi.waitFor(() => expect(now()).not.toBe(pid), { timeout: 15_000 })
	await vi.waitFor(async () => expect(await sql`select n from kept`).toEqual([{ n: 1 }]), { timeout: 15_000 })
})

test('the socket has a short path when DATA_DIR has a long one', async () => {
	const deep = join(dir, 'x'.repeat(60), 'y'.repeat(60))
	const { connection, sql } = await open(deep)
	expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
	expect(Buffer.byteLength(connection.path)).toBeLessThanOrEqual(107)
})
