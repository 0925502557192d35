import { expect, onTestFinished, test } from 'vitest'
import { bundleOf, create, until, withSql } from '../../../kit/agent.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Connections lost within transactions neither end the host nor leave one that never works again.

const rounds = 3
/** As many as the host has connections. */
const atOnce = 10

// Proves: start.connections-lost
test('a host goes on when all its connections are lost in the middle of transactions', async () => {
	const host = await sharedHost()
	onTestFinished(() => host.close())
	const account = await host.account({ plan: 'team' })
	const { body: at } = await create(host, account, await bundleOf({}), 'memory')
	const write = (file: number, content: string) =>
		host.call(`${at.url}/memory/${file}.md`, { method: 'PUT', token: account.token, json: { content } })
	await withSql(host, async (sql) => {
		for (let i = 0; i < rounds; i++) {
			const held = await sql.reserve()
			await held`begin`
			await held`lock table memory_totals`
			const writing = Promise.all(Array.from({ length: atOnce }, (_, n) => write(n, 'lost')))
			// Asked with one condition, so that all that are counted are ended.
			const waiting = sql`
				datname = current_database() and query like '%memory_totals%' and wait_event_type = 'Lock'`
			await until(async () => {
				const [row] = await sql`select count(*)::int as n from pg_stat_activity where ${waiting}`
				return row?.n === atOnce
			})
			await sql`select pg_terminate_backend(pid) from pg_stat_activity where ${waiting}`
			expect((await writing).map(({ status }) => status)).toEqual(Array(atOnce).fill(503))
			await held`rollback`
			held.release()
		}
	})
	const kept = await Promise.all(Array.from({ length: atOnce }, (_, n) => write(n, 'kept')))
	expect(kept.map(({ status }) => status)).toEqual(Array(atOnce).fill(201))
})
