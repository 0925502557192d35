// A data folder as restores, cleaners and kills leave it: a cluster in it is opened or left alone, never deleted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { descendants } from '../../../kit/host.ts'
import { end, lives, newDir, open, own } from './owning.ts'

let dir = ''
const postgresDir = () => join(dir, 'postgres')
const data = (...path: string[]) => join(postgresDir(), 'data', ...path)

beforeEach(() => {
	dir = newDir()
})

/** A cluster with one row, made once, of a host that was killed; and the text of its `postmaster.pid`. */
let made: { folder: string; postmaster: string } | null = null

async function used(): Promise<string> {
	made ??= await makeUsed()
	cpSync(made.folder, dir, { recursive: true })
	return made.postmaster
}

async function makeUsed() {
	const folder = mkdtempSync(join(tmpdir(), 'berth-used-'))
	const { child, sql, pid } = await open(folder)
	await sql`create table kept (n int)`
	await sql`insert into kept values (1)`
	const postmaster = readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8')
	await end(child, 'SIGKILL')
	await expect.poll(() => lives(pid)).toBe(false)
	return { folder, postmaster }
}

afterAll(() => made && rmSync(made.folder, { recursive: true, force: true }))

const kept = async () => (await open(dir)).sql`select n from kept`

// Proves: start.whole-cluster-only
test('a cluster is opened with its rows when its mark is gone, and refused where it is not whole', async () => {
	await used()
	rmSync(join(postgresDir(), 'init.ok'))
	const copy = newDir()
	cpSync(postgresDir(), join(copy, 'postgres'), { recursive: true })
	expect(await kept()).toEqual([{ n: 1 }])

	const refused = async () => (await own(copy)).said
	const part = join(copy, 'postgres', 'data')
	writeFileSync(join(part, 'PG_VERSION'), '17\n')
	expect(await refused()).toMatch(/holds a database of Postgres 17, and this Berth runs Postgres 18/)
	writeFileSync(join(part, 'PG_VERSION'), '18\n')
	rmSync(join(part, 'global', 'pg_control'))
	expect(await refused()).toMatch(/part of a database: global\/pg_control is missing.*[Rr]estore/)
	expect(existsSync(join(part, 'base', '5', 'PG_VERSION'))).toBe(true)
	expect(await refused()).not.toMatch(/\n\s+at /)
})

// Proves: start.first-start-killed
test('a first start comes up by itself after one that was killed while the database was made', async () => {
	const first = spawn(process.execPath, [join(import.meta.dirname, 'owner.ts'), dir], { stdio: 'ignore' })
	await expect.poll(() => readdirSync(postgresDir()).some((name) => /^(data|making)/.test(name))).toBe(true)
	const below = descendants(first.pid as number)
	for (const pid of below) if (lives(pid)) process.kill(pid, 'SIGKILL')
	await once(first, 'exit')
	expect(existsSync(data())).toBe(false)
	expect(await (await open(dir)).sql`select 1 as one`).toEqual([{ one: 1 }])
	expect(readdirSync(postgresDir()).filter((name) => /^(data|making)/.test(name))).toEqual(['data'])
})

// Proves: start.first-start-killed
test('a folder that initdb had only begun is kept aside under a name that says so', async () => {
	mkdirSync(data('base', '1'), { recursive: true })
	writeFileSync(data('PG_VERSION'), '18\n')
	expect(await (await open(dir)).sql`select 1 as one`).toEqual([{ one: 1 }])
	const aside = readdirSync(postgresDir()).find((name) => name.startsWith('data.unfinished.'))
	expect(readFileSync(join(postgresDir(), aside ?? '', 'PG_VERSION'), 'utf8')).toBe('18\n')
})

// Proves: start.stale-lock
test('a postmaster.pid that names another program’s process does not block a start', async () => {
	const text = await used()
	const other = spawn('sleep', ['60'])
	try {
		const [, ...rest] = text.split('\n')
		writeFileSync(data('postmaster.pid'), [other.pid, ...rest].join('\n'))
		expect(await kept()).toEqual([{ n: 1 }])
		expect(lives(other.pid as number)).toBe(true)
	} finally {
		other.kill('SIGKILL')
	}
})

// Proves: start.host-killed
test('a server that outlived its killed host is ended, and its rows are kept', async () => {
	await used()
	const { child, pid } = await open(dir)
	// It sees none of what follows, so nothing of it ends the server.
	child.kill('SIGSTOP')
	const below = descendants(child.pid as number)
	const shells = below.filter((one) => /^(\/bin\/)?(sh|cat)\0/.test(commandOf(one)))
	for (const one of shells) process.kill(one, 'SIGKILL')
	await end(child, 'SIGKILL')
	expect(lives(pid)).toBe(true)
	expect(await kept()).toEqual([{ n: 1 }])
	expect(lives(pid)).toBe(false)
})

/** Empty once it has ended: a worker of the database may, at any time. */
function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
	} catch {
		return ''
	}
}
