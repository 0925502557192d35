import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Lease, takeLease } from '../../../host/db/lease.ts'
import { parseDatabaseUrl } from '../../../host/db/url.ts'
import { until } from '../../kit/agent.ts'
import { cloneTemplate, dropDatabase } from '../../kit/host.ts'
import { outage } from '../../kit/outage.ts'

// A host keeps its runs through an outage of the database, and a dead one loses them in spite of many.

let url: string
let sql: postgres.Sql
beforeAll(async () => {
	url = await cloneTemplate()
	sql = postgres({ ...parseDatabaseUrl(url), max: 1, onnotice: () => undefined })
})
afterAll(async () => {
	await sql.end()
	await dropDatabase(url)
})

const seconds = 1
const held: Lease[] = []
afterEach(async () => {
	await Promise.all(held.splice(0).map((lease) => lease.release()))
	await sql`delete from hosts`
})

async function lease(id: string): Promise<Lease> {
	const log = pino({ level: 'silent' })
	const connection = { ...parseDatabaseUrl(url), backoff: () => 0.1, onnotice: () => undefined }
	const taken = await takeLease(connection, { id, seconds, alone: false, log })
	held.push(taken)
	return taken
}

const dead = async (id: string, forSeconds = seconds) => {
	await sql`insert into hosts (id, lease_until) values (${id}, now() + make_interval(secs => ${forSeconds}))`
}
const isSilent = (one: Lease, id: string) => one.silent().some((mark) => mark.startsWith(`${id} `))

// Proves: journal.lease-outages
test('hosts renew at once when the database is back, and none takes another for dead', async () => {
	const [one, two] = await Promise.all([lease('hst_one'), lease('hst_two')])
	let renewed = 0
	for (const each of [one, two]) each.onRenewed(() => renewed++)
	await outage(url, 2.5 * seconds * 1000)
	const before = renewed
	const backAt = performance.now()
	let silent = 0
	const looking = setInterval(() => {
		silent += one.silent().length + two.silent().length
	}, 5)
	await until(async () => renewed >= before + 2)
	// The driver’s own tries would be up to 20 s apart by then.
	expect(performance.now() - backAt).toBeLessThan(5_000)
	await sleep(2 * seconds * 1000)
	clearInterval(looking)
	expect([silent, one.held(), two.held()]).toEqual([0, true, true])
})

// Proves: journal.lease-outages
test('a dead host is known as such though the database is away more often than a lease lasts', async () => {
	const one = await lease('hst_one')
	await dead('hst_dead')
	const began = performance.now()
	let times = 0
	while (!isSilent(one, 'hst_dead') && times < 100) {
		await outage(url, 200)
		await sleep(400)
		times++
	}
	expect(isSilent(one, 'hst_dead')).toBe(true)
	// But not before its time.
	expect(performance.now() - began).toBeGreaterThan(seconds * 1000)
	await sql`update hosts set lease_until = now() + interval '1 second' where id = 'hst_dead'`
	await until(async () => !isSilent(one, 'hst_dead'))
})

// Proves: journal.lease
test('a lease taken for longer lasts longer, and one given back is gone', async () => {
	const [one, two] = [await lease('hst_one'), await lease('hst_two')]
	await dead('hst_long', 60)
	await dead('hst_short')
	await until(async () => isSilent(one, 'hst_short'))
	expect(isSilent(one, 'hst_long')).toBe(false)
	held.pop()
	await two.release()
	expect(await sql`select id from hosts where id = 'hst_two'`).toHaveLength(0)
})

// Proves: journal.lease-outages
test('the database’s clock set forward makes nobody dead', async () => {
	const [one] = [await lease('hst_one'), await lease('hst_two')]
	await sleep((seconds * 1000) / 2)
	// As it looks then: all leases were over long ago.
	await sql`update hosts set lease_until = now() - interval '1 hour' where id = 'hst_two'`
	expect(isSilent(one, 'hst_two')).toBe(false)
	await sleep((seconds * 1000) / 2)
	expect(isSilent(one, 'hst_two')).toBe(false)
})
