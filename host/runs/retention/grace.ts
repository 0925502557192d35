import type { Sql } from '../../db/index.ts'

/** What hosts agree on: deletion by RETAIN_RUNS_DAYS begins at `from` (ms of the epoch). */
interface Agreed {
	days: number
	from: number
}

const name = 'retain_runs'
const graceMs = 86_400_000

/**
 * Whether runs may be deleted by this setting now. Of fewer days than before (or any, on a database that kept all) they are
 * only hidden for the first day: who did not mean it sets it back and has lost nothing. `begun`: it is so from now on, and
 * there are runs it may concern.
 */
export async function deletesFrom(
	sql: Sql,
	days: number,
): Promise<{ now: boolean; from: Date; begun: boolean }> {
	const [row] = await sql<{ value: Agreed | null; now: number; used: boolean }[]>`
		select extract(epoch from now())::float8 * 1000 as now, (select max(id) from runs) is not null as used,
			(select value from settings where name = ${name}) as value`
	const { value = null, now = 0, used = false } = row ?? {}
	const fewer = value === null || (days !== 0 && (value.days === 0 || days < value.days))
	const agreed = { days, from: fewer ? now + graceMs : (value?.from ?? now) }
	if (value?.days !== days)
		await sql`
			insert into settings (name, value) values (${name}, ${agreed as never})
			on conflict (name) do update set value = excluded.value, updated_at = now()`
	return {
		now: agreed.from <= now,
		from: new Date(agreed.from),
		begun: used && value?.days !== days && fewer,
	}
}
