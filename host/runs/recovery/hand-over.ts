import { batched } from '../../db/index.ts'
import { channel } from '../live/feed.ts'
import type { RunEngine } from '../live/types.ts'
import { released } from '../live/waiting.ts'

/** A run that the stopping runtime has left: other hosts need not wait for the end of this one. */
export function handOver({ parts: { sql, id, log }, live, lose }: RunEngine) {
	const free = batched(async (runs: { run: string; epoch: number }[]) => {
		const rows = await sql<{ id: string }[]>`
			update runs r set host_id = null
			from unnest(${runs.map(({ run }) => run)}::text[], ${runs.map(({ epoch }) => epoch)}::int[]) as l(id, epoch)
			where r.id = l.id and r.epoch = l.epoch and r.host_id = ${id} and r.status in ('queued', 'running', 'waiting')
			returning r.id`
		if (rows.length > 0) await sql`select pg_notify(${channel}, ${released})`
		return runs.map(() => null)
	})
	return (left: { run: string; epoch: number }): void => {
		const run = live.get(left.run)
		if (run?.epoch !== left.epoch || !run.stored) return
		lose(run)
		// What could not be written now is released with all the others, at the end of the stop.
		free(left).catch((error) => log.warn({ err: error, run: left.run }, 'a run was not handed over yet'))
	}
}
