import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type Agent, closeSchemaWorkers, compileSchema } from '../../../../bundles/index.ts'
import type { Sql } from '../../../../host/db/index.ts'
import { unfitSchedules } from '../../../../host/schedules/index.ts'

/** Its check runs in a thread, and of `slow` for as long as it may. */
const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
const slow = { a: `${'a'.repeat(40)}!` }

afterEach(closeSchemaWorkers)

function unfit(inputs: object) {
	const rows = [{ id: 'sch_1', cron: '0 9 * * *', timezone: 'UTC', inputs }]
	const sql = (async () => rows) as unknown as Sql
	return unfitSchedules(sql, { id: 'dep_1', url: 'http://host/d/one' }, {
		inputs: schema,
	} as unknown as Agent)
}

function ask(queues: string[]): void {
	for (const queue of queues) void compileSchema(schema)(slow, { queue })
}

// Proves: schedule.unfit-unjudged
test('a schedule that cannot be checked, as too much waits, is not told as one that does not fit', async () => {
	ask(Array.from({ length: 2_100 }, (_, n) => `dep_${n}`))
	expect(await unfit({ a: 'b' })).toEqual([])
})

// Proves: schedule.unfit-unjudged
test('a schedule is checked beside the calls of its deployment, and again when its thread is lost', async () => {
	ask(Array.from({ length: 300 }, () => 'dep_1'))
	const told = unfit({ a: 'b' })
	// Its check waits for a thread by then.
	await turn()
	await closeSchemaWorkers()
	expect(await told).toMatchObject([{ schedule: 'sch_1', errors: [{ path: '/inputs/a' }] }])
})
