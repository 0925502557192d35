import { afterAll, beforeAll, expect, test } from 'vitest'
import { dropOldRecords } from '../../../../host/accounts/retention.ts'
import { firstId } from '../../../../host/lib/ids.ts'
import { withDatabase } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestHost } from '../../../kit/host.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// How long the ledger and the audit log are kept, and how the latter gets into an archive.

let host: TestHost
beforeAll(async () => {
	host = await sharedHost()
})
afterAll(() => host?.close())

const daysAgo = (prefix: 'aud' | 'ldg', days: number, n: number) =>
	firstId(prefix, Date.now() - days * 86_400_000).slice(0, -3) + String(n).padStart(3, '0')

// Proves: retention.records, retention.audit-export
test('old entries of the audit log go, those of the ledger become one, and the balance is still its sum', async () => {
	const { id } = await host.account()
	await withDatabase(host, async ({ sql }) => {
		for (let n = 0; n < 120; n++)
			await sql`
				insert into audit (id, at, actor_kind, operation, target, status, request_id, address, account_id)
				values (${daysAgo('aud', n < 60 ? 100 : 10, n)}, now(), 'local', 'putPrice', '{}', 200, ${`request ${n}`}, '', ${id})`
		for (const [n, days] of [100, 99, 98, 10].entries())
			await sql`
				insert into ledger (id, account_id, amount, balance, reason)
				values (${daysAgo('ldg', days, n)}, ${id}, 100, ${(n + 1) * 100}, 'credit')`
		await sql`delete from ledger where account_id = ${id} and reason = 'free credits'`
		await sql`update accounts set balance = 400 where id = ${id}`

		await dropOldRecords(sql, { RETAIN_AUDIT_DAYS: 0, RETAIN_LEDGER_DAYS: 0 })
		const counted = async () => {
			const [row] = await sql`
				select (select count(*)::int from audit where operation = 'putPrice' and account_id = ${id}) as audit,
					(select json_agg(array[amount, balance] order by id) from ledger where account_id = ${id}) as ledger`
			return row
		}
		expect((await counted())?.audit).toBe(120)
		expect((await counted())?.ledger).toHaveLength(4)
		await dropOldRecords(sql, { RETAIN_AUDIT_DAYS: 90, RETAIN_LEDGER_DAYS: 90 })
		await dropOldRecords(sql, { RETAIN_AUDIT_DAYS: 90, RETAIN_LEDGER_DAYS: 90 })
		expect(await counted()).toEqual({
			audit: 60,
			ledger: [
				[300, 300],
				[100, 400],
			],
		})
	})
	const exported = await berth(['admin', 'audit', '--account', id, '--operation', 'putPrice', '--json'], {
		env: { BERTH_URL: host.url, DATA_DIR: host.dataDir },
	})
	expect(exported).toMatchObject({ code: 0, stderr: '' })
	const lines = exported.stdout
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as { request_id: string })
	expect(lines.map(({ request_id }) => request_id)).toEqual(
		Array.from({ length: 60 }, (_, n) => `request ${119 - n}`),
	)
})
