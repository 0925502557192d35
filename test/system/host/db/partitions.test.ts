// The journal by weeks: made ahead, made of an older database's table, and dropped with the last run of a week.
import postgres from 'postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepPartitions, type Sql } from '../../../../host/db/index.ts'
import { weekOf } from '../../../../host/db/partitions.ts'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { firstId } from '../../../../host/lib/ids.ts'
import { cloneTemplate, dropDatabase } from '../../../kit/host.ts'

const day = 86_400_000
const week = 7 * day
const now = Date.now()
const nameOf = (ms: number) => `journal_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`
const thisWeek = weekOf(now)
const ahead = [thisWeek, thisWeek + week, thisWeek + 2 * week].map(nameOf)

let url: string
let sql: Sql

beforeEach(async () => {
	url = await cloneTemplate()
	sql = postgres({ ...parseDatabaseUrl(url), max: 3, onnotice: () => {} }) as unknown as Sql
})
afterEach(async () => {
	await sql.end()
	await dropDatabase(url)
})

const partitions = async () =>
	(
		await sql<{ name: string }[]>`
			select inhrelid::regclass::text as name from pg_inherits where inhparent = 'journal'::regclass order by 1`
	).map(({ name }) => name)
const placeOf = async (id: string) =>
	(
		await sql<{ name: string }[]>`select tableoid::regclass::text as name from journal where run_id = ${id}`
	)[0]?.name
const write = async (id: string, completed: boolean | null) => {
	await sql`insert into journal (run_id, first_seq, last_seq, entries) values (${id}, 1, 1, '[]')`
	if (completed === null) return
	await sql`
		insert into runs (id, deployment_id, version, status, inputs, seed, completed_at)
		values (${id}, 'dep_1', 1, ${completed ? 'succeeded' : 'waiting'}, '{}', 's', ${completed ? new Date() : null})`
}
/** As a database of before there were partitions. */
const unpartition = () =>
	sql.unsafe(`
		alter table journal rename to partitioned;
		alter table partitioned rename constraint journal_run_id_first_seq_pk to old_pk;
		create table journal (like partitioned);
		alter table journal add constraint journal_run_id_first_seq_pk primary key (run_id, first_seq);
		drop table partitioned`)

// Proves: retention.partitions
test('a new database has the weeks to come, and a second look changes nothing', async () => {
	expect(await partitions()).toEqual([...ahead, 'journal_before', 'journal_rest'].sort())
	expect(await keepPartitions(sql)).toEqual({ added: [], dropped: [] })
	const id = firstId('run', now)
	await write(id, true)
	expect(await placeOf(id)).toBe(ahead[0])
})

// Proves: retention.partitions, start.older-rows
test('the table of an older database becomes the first partition, while rows are written to it', async () => {
	await unpartition()
	const old = firstId('run', now - 40 * day)
	await write(old, true)
	let stop = false
	let written = 0
	const writing = (async () => {
		while (!stop) await write(firstId('run', now + written++), null)
	})()
	expect(await keepPartitions(sql)).toEqual({ added: [], dropped: [] })
	stop = true
	await writing
	expect(await placeOf(old)).toBe('journal_before')
	expect((await sql`select from journal`).length).toBe(written + 1)
	expect((await partitions()).includes('journal_rest')).toBe(true)
	// What an older build runs, prepared before the change, finds the new table by its name.
	expect(await sql`select 1 from pg_constraint where conname = 'journal_before'`).toHaveLength(0)
})

// Proves: retention.partitions
test('a week is dropped with its last run; a waiting run keeps it; nothing is dropped while it is young', async () => {
	const [gone, kept] = [thisWeek - 3 * week, thisWeek - 2 * week]
	for (const at of [gone, kept])
		await sql.unsafe(`
			drop table if exists journal_before;
			create table ${nameOf(at)} partition of journal
				for values from ('${firstId('run', at)}') to ('${firstId('run', at + week)}')`)
	await write(firstId('run', gone + day), null)
	await write(firstId('run', kept + day), false)
	await write(firstId('run', now), null)
	expect(await keepPartitions(sql)).toEqual({ added: [], dropped: [nameOf(gone)] })
	expect(await placeOf(firstId('run', kept + day))).toBe(nameOf(kept))
	expect(await placeOf(firstId('run', now))).toBe(ahead[0])
})

// Proves: retention.partitions
test('what was written while nobody made partitions is moved to its week, and the rest goes with its runs', async () => {
	for (const name of ahead) await sql.unsafe(`drop table ${name}`)
	const [early, late] = [firstId('run', thisWeek - 5 * week), firstId('run', now)]
	await sql`drop table journal_before`
	await write(early, null)
	await write(late, true)
	expect(await placeOf(late)).toBe('journal_rest')
	expect(await keepPartitions(sql)).toEqual({ added: ahead, dropped: [] })
	expect(await placeOf(late)).toBe(ahead[0])
	expect(await placeOf(early)).toBeUndefined()
})

// Proves: retention.partitions
test('who reads or copies the table is not waited for: it is done the next time', async () => {
	await sql.unsafe(`drop table ${ahead[2]}`)
	await sql.begin(async (tx) => {
		await tx`select from journal`
		expect(await keepPartitions(sql)).toBeNull()
	})
	expect(await keepPartitions(sql)).toEqual({ added: [ahead[2]], dropped: [] })
})
