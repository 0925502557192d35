import type { Connector } from '../../connector/index.ts'
import { sharedNow } from '../../runtime/lib/clock.ts'
import { GuardUsage } from '../api/account.ts'
import type { Auth } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { firstId } from '../lib/ids.ts'

const dayMs = 86_400_000
const daysShown = 30
const unitsPerCredit = 10_000

interface UsageParts {
	sql: Sql
	auth: Pick<Auth, 'requireOwner'>
	connector: Pick<Connector, 'daysOf'>
}

export function guardUsageRoutes(app: App, { sql, auth, connector }: UsageParts): void {
	app.get(
		'/v1/account/guard-usage',
		{
			schema: { response: { 200: GuardUsage } },
			config: owner('getGuardUsage', 'Your answered calls of the guard, by day'),
		},
		async (request) => {
			const { accountId } = await auth.requireOwner(request)
			const now = sharedNow()
			const first = now - (now % dayMs) - (daysShown - 1) * dayMs
			const days = Array.from({ length: daysShown }, (_, at) =>
				new Date(first + at * dayMs).toISOString().slice(0, 10),
			)
			const [counted, charged] = await Promise.all([
				connector.daysOf(accountId, days[0] as string),
				readCharged(sql, accountId, first),
			])
			return {
				days: days.map((day) => {
					const { calls = 0, tokens = 0 } = counted.find((one) => one.day === day) ?? {}
					return { day, calls, tokens, credits: (charged.get(day) ?? 0) / unitsPerCredit }
				}),
			}
		},
	)
}

/** In 1/10,000 credit, by day: the ledger names the tool that was paid for. */
async function readCharged(sql: Sql, accountId: string, since: number): Promise<Map<string, number>> {
	const rows = await sql<{ day: string; units: number }[]>`
		select to_char(at at time zone 'utc', 'YYYY-MM-DD') as day, sum(-amount)::float8 as units from ledger
		where account_id = ${accountId} and id >= ${firstId('ldg', since)} and amount < 0 and reason like 'guard\\_%'
		group by 1`
	return new Map(rows.map(({ day, units }) => [day, units]))
}
