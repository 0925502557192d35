import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Schedule } from '../api/schedules.ts'
import type { Rows, Sql, Tx } from '../db/index.ts'
import { iso } from '../deployments/index.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../lib/ids.ts'
import { readTimes } from './times.ts'

export type ScheduleRow = Omit<Rows['schedules'], 'lease_until'>

export const scheduleColumns = (sql: Sql | Tx) => sql`
	id, deployment_id, cron, timezone, inputs, missed, enabled, next_at, last_at, last_run_id, last_error, skipped_at,
	created_at`

export async function readSchedules(sql: Sql | Tx, deployment: string): Promise<ScheduleRow[]> {
	return sql<ScheduleRow[]>`
		select ${scheduleColumns(sql)} from schedules where deployment_id = ${deployment} order by id`
}

/** Of this deployment, which the caller has been found to own. */
export async function requireSchedule(sql: Sql | Tx, deployment: string, id: string): Promise<ScheduleRow> {
	const [row] = isId('sch', id)
		? await sql<ScheduleRow[]>`
			select ${scheduleColumns(sql)} from schedules where id = ${id} and deployment_id = ${deployment} for update`
		: []
	if (!row) throw notFound('There is no such schedule.')
	return row
}

const timesShown = 5

export const viewSchedule = (row: ScheduleRow): Schedule => ({
	id: row.id,
	cron: row.cron,
	timezone: row.timezone,
	inputs: row.inputs,
	missed: row.missed,
	enabled: row.enabled,
	next_times: row.enabled
		? readTimes(row.cron, row.timezone)
				.list(timesShown, new Date(sharedNow()))
				.map((at) => iso(at))
		: [],
	last_at: iso(row.last_at),
	last_run: row.last_run_id,
	last_error: row.last_error,
	skipped_at: iso(row.skipped_at),
	created_at: iso(row.created_at),
})
