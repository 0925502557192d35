import type postgres from 'postgres'
import { progress } from '../../.tools/progress.mjs'
import { weekOf } from '../../host/db/partitions.ts'
import { firstId } from '../../host/lib/ids.ts'
import type { Deployed } from './berth.ts'

const dayMs = 86_400_000
const weekMs = 7 * dayMs
const batch = 20_000

/**
 * As if a host had run for so many days: `runs` of them, evenly over the time and the deployments, each with its journal,
 * which lies in weeks, as it would.
 */
export async function fillPast(
	sql: postgres.Sql,
	deployed: Deployed[],
	{ runs, days }: { runs: number; days: number },
): Promise<void> {
	const now = Date.now()
	const from = now - days * dayMs
	await makeWeeks(sql, weekOf(from), weekOf(now))
	const [version] = await sql<{ version: number }[]>`select version from versions limit 1`
	const shown = progress('old runs', runs)
	for (let first = 0; first < runs; first += batch) {
		const numbers = Array.from({ length: Math.min(batch, runs - first) }, (_, n) => first + n)
		const times = numbers.map((n) => from + Math.floor((n * (now - from)) / runs))
		const ids = times.map(
			(ms, n) => `${firstId('run', ms).slice(0, -8)}${String(first + n).padStart(8, '0')}`,
		)
		const of = numbers.map((n) => deployed[n % deployed.length]?.id as string)
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, output, usage, seed, error_code, created_at, completed_at)
			select id, of, ${version?.version ?? 1}, case when n % 50 = 0 then 'failed' else 'succeeded' end, '{"question":"An old one"}',
				'"It said hello."', '{}', 's', case when n % 50 = 0 then 'agent_error' end, to_timestamp(ms / 1000), to_timestamp(ms / 1000)
			from unnest(${ids}::text[], ${of}::text[], ${numbers}::int[], ${times}::float8[]) as old (id, of, n, ms)`
		await sql`
			insert into journal (run_id, first_seq, last_seq, entries)
			select id, n * 3 - 2, n * 3, ${JSON.stringify([{ kind: 'filled', text: 'x'.repeat(400) }])}
			from unnest(${ids}::text[]) id, generate_series(1, 3) n`
		shown.at(first + numbers.length)
	}
	shown.end()
	await sql`insert into settings (name, value) values ('retain_runs', '{"days":30,"from":0}')
		on conflict (name) do update set value = excluded.value`
	await sql`analyze`
}

/** Those that a host would have made, had it run then. */
async function makeWeeks(sql: postgres.Sql, first: number, now: number): Promise<void> {
	await sql.unsafe(`
		alter table journal detach partition journal_before;
		alter table journal attach partition journal_before for values from (minvalue) to ('${firstId('run', first)}')`)
	for (let week = first; week < now; week += weekMs)
		await sql.unsafe(`
			create table journal_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')} partition of journal
			for values from ('${firstId('run', week)}') to ('${firstId('run', week + weekMs)}')`)
}
