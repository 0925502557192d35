import { expect, onTestFinished, test } from 'vitest'
import { lookedAt, type Sql, writeFault } from '../../../../host/db/index.ts'
import { until, withDatabase } from '../../../kit/agent.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Whether the database could store anything, told without a row or a table.

// Proves: observe.ready-room
test('the look writes to the disk of the database, and sees one that takes no writes', async () => {
	const host = await sharedHost()
	onTestFinished(() => host.close())
	await withDatabase(host, async ({ sql }) => {
		const written = async () => {
			const [row] = await sql`
				select temp_bytes::int as bytes, (select count(*)::int from pg_class) as tables
				from pg_stat_database where datname = current_database()`
			return row as { bytes: number; tables: number }
		}
		const before = await written()
		expect(await writeFault(sql)).toBeNull()
		const after = await until(async () => {
			const now = await written()
			return now.bytes > before.bytes && now
		})
		expect(after.bytes - before.bytes).toBeGreaterThan(100_000)
		expect(after.tables).toBe(before.tables)
		const closed = {
			begin: (work: (tx: Sql) => unknown) => sql.begin('read only', (tx) => work(tx as unknown as Sql)),
		}
		expect(await writeFault(closed as unknown as Sql)).toBe('the database takes no writes (read-only)')
	})
})

const failing = (code: string) =>
	({ begin: () => Promise.reject(Object.assign(new Error('no'), { code })) }) as unknown as Sql

// Proves: observe.ready-room
test('a full disk is told, and an error of another kind is none', async () => {
	expect(await writeFault(failing('53100'))).toBe('the database has no room on its disk')
	await expect(writeFault(failing('57P01'))).rejects.toThrow('no')
})

// Proves: observe.ready-room
test('who asks at the same time or soon after gets one look, and one that fails changes nothing', async () => {
	let looks = 0
	let next: () => Promise<string | null> = async () => 'full'
	const look = () => {
		looks++
		return next()
	}
	const often = lookedAt(look, null, 60_000)
	expect(await Promise.all([often(), often()])).toEqual(['full', 'full'])
	expect(await often()).toBe('full')
	expect(looks).toBe(1)
	const always = lookedAt(look, null, 0)
	expect(await always()).toBe('full')
	next = () => Promise.reject(new Error('away'))
	expect(await always()).toBe('full')
	next = async () => null
	expect(await always()).toBeNull()
})
