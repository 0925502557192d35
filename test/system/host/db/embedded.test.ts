// `DATABASE_URL` unset: the embedded database belongs to one host, keeps what it has acknowledged through
// any kill, and never outlives its host.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { end, lives, newDir, open, own } from './owning.ts'

let dir = ''

beforeEach(() => {
	dir = newDir()
})

// Proves: start.durable
test('the embedded database syncs to disk and listens on nothing but its socket when it starts', async () => {
	const { sql } = await open(dir)
	const [row] = await sql`
		select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
			current_setting('listen_addresses') as addresses, current_user as user`
	expect(row).toEqual({ fsync: 'on', commit: 'on', addresses: '', user: 'app' })
})

// Proves: start.second-host
test('a second host is refused and told why when the first still runs', async () => {
	const first = await open(dir)
	const second = await own(dir)
	expect(second.said).toContain(`Another host is running on DATA_DIR ${dir}`)
	expect(second.said).toContain('DATABASE_URL')
	expect(await first.sql`select 1 as one`).toEqual([{ one: 1 }])
})

// Proves: start.host-killed
test('the server is gone and its rows are kept when its host is killed', async () => {
	const first = await open(dir)
	await first.sql`create table kept (n int)`
	await first.sql`insert into kept values (1)`
	await end(first.child, 'SIGKILL')
	await expect.poll(() => lives(first.pid)).toBe(false)
	const second = await open(dir)
	expect(await second.sql`select n from kept`).toEqual([{ n: 1 }])
})

// Proves: start.database-restarted
test('the server comes back with its rows when it is killed under its host', async () => {
	const { pid, sql } = await open(dir)
	await sql`create table kept (n int)`
	await sql`insert into kept values (1)`
	process.kill(pid, 'SIGKILL')
	const file = join(dir, 'postgres', 'data', 'postmaster.pid')
	const now = () => Number.parseInt(readFileSync(file, 'utf8'), 10)
	await expect.poll(() => now()).not.toBe(pid)
	await expect.poll(async () => await sql`select n from kept`).toEqual([{ n: 1 }])
})

test('a statement takes no memory anew when one before it took as much', async () => {
	const { sql } = await open(dir)
	const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
	// A hash table of half a megabyte.
	const ask = () =>
		sql`select count(*) from generate_series(1, 5000) a join generate_series(1, 5000) b on a = b`
	const asked = async (times: number) => {
		for (let n = 0; n < times; n++) await ask()
		return pageFaults(pid)
	}
	const before = await asked(20)
	expect((await asked(50)) - before).toBeLessThan(50)
})

/** That no disk was read for: proc(5), `minflt`. */
function pageFaults(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
	return Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[7])
}

test('the socket has a short path when DATA_DIR has a long one', async () => {
	const deep = join(dir, 'x'.repeat(60), 'y'.repeat(60))
	const { connection, sql } = await open(deep)
	expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
	expect(Buffer.byteLength(connection.path)).toBeLessThanOrEqual(107)
})
