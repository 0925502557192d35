import type { ConnectorDeps, Sql } from '../deps.ts'
import type { Pace } from './pace.ts'

// Anybody may register a client, as MCP clients expect. So that nobody fills the table: a bound by address, and one of
// registrations that no person has yet authorized, which are kept a day.

export const registrationMaxBytes = 16 * 1024
export const unusedSeconds = 24 * 3600
/** Past it the oldest go, but for those of the last hour: their sign-in may be under way. */
const unusedMax = 5_000
const spareSeconds = unusedSeconds - 3600

export interface Registrations {
	/** Seconds until a registration from this address is heard; 0: now. */
	waitFor(address: string): Promise<number>
}

export function openRegistrations(deps: ConnectorDeps, pace: Pace): Registrations {
	const { sql, unusedClients = unusedMax } = deps
	return {
		waitFor: async (address) => {
			const seconds = pace(address)
			if (seconds > 0) return seconds
			return (await hasRoom(sql, unusedClients)) ? 0 : 60
		},
	}
}

async function hasRoom(sql: Sql, max: number): Promise<boolean> {
	const [row] = await sql<{ left: number }[]>`
		with unused as (
			select id, expires_at, row_number() over (order by expires_at desc) as place
			from guard_oauth where model = 'Client' and expires_at is not null
		), gone as (
			delete from guard_oauth using unused
			where model = 'Client' and guard_oauth.id = unused.id and place >= ${max}
				and unused.expires_at < now() + ${spareSeconds} * interval '1 second'
			returning 1
		)
		select ((select count(*) from unused) - (select count(*) from gone))::int as left`
	return (row?.left ?? 0) < max
}
