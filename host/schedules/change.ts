import { filePlaces, mapFiles } from '../../bundles/index.ts'
import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Schedule } from '../api/schedules.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import { canonicalInputs, OWNER, requireInputs } from '../runs/index.ts'
import type { ScheduleParts } from './parts.ts'
import { readSchedules, requireSchedule, type ScheduleRow, scheduleColumns, viewSchedule } from './store.ts'
import { readTimes } from './times.ts'

const schedulesMax = 100

type Parts = Pick<ScheduleParts, 'sql' | 'log' | 'deployments'>

/** The owner's own deployment. */
export interface ScheduledDeployment {
	id: string
	slug: string
}

type Wanted = Pick<ScheduleRow, 'cron' | 'timezone' | 'inputs' | 'missed'>

export async function createSchedule(
	parts: Parts,
	{ id, slug }: ScheduledDeployment,
	wanted: Wanted,
): Promise<Schedule> {
	const next = readTimes(wanted.cron, wanted.timezone).after(new Date(sharedNow()))
	await requireFitting(parts, slug, wanted.inputs)
	return parts.sql.begin(async (tx) => {
		await tx`select id from deployments where id = ${id} for no key update`
		if ((await readSchedules(tx, id)).length >= schedulesMax) {
			throw new Problem('conflict', `A deployment has at most ${schedulesMax} schedules. Delete one first.`)
		}
		const [row] = await tx<ScheduleRow[]>`
			insert into schedules (id, deployment_id, cron, timezone, inputs, missed, next_at)
			values (${newId('sch')}, ${id}, ${wanted.cron}, ${wanted.timezone}, ${JSON.stringify(wanted.inputs)}::text::json,
				${wanted.missed}, ${next})
			returning ${scheduleColumns(tx)}`
		return viewSchedule(row!)
	})
}

/**
 * Absent members stay as they are. One that goes on after a pause, or at other times, begins from now: nothing was missed.
 * After a pause its inputs must fit the agent of today (spec schedule.unfit-resumed).
 */
export async function patchSchedule(
	parts: Parts,
	{ id, slug }: ScheduledDeployment,
	schedule: string,
	patch: { [M in keyof Wanted]?: Wanted[M] | undefined } & { enabled?: boolean | undefined },
): Promise<Schedule> {
	if (patch.inputs !== undefined) await requireFitting(parts, slug, patch.inputs)
	else if (patch.enabled) {
		const { enabled, inputs } = await requireSchedule(parts.sql, id, schedule)
		if (!enabled) await requireFitting(parts, slug, inputs)
	}
	return parts.sql.begin(async (tx) => {
		const before = await requireSchedule(tx, id, schedule)
		const { cron = before.cron, timezone = before.timezone, enabled = before.enabled } = patch
		const times = readTimes(cron, timezone)
		const same = before.enabled && cron === before.cron && timezone === before.timezone
		const next = !enabled ? null : same ? before.next_at : times.after(new Date(sharedNow()))
		const [row] = await tx<ScheduleRow[]>`
			update schedules
			set cron = ${cron}, timezone = ${timezone}, inputs = ${JSON.stringify(patch.inputs ?? before.inputs)}::text::json,
				missed = ${patch.missed ?? before.missed}, enabled = ${enabled}, next_at = ${next}
			where id = ${schedule} returning ${scheduleColumns(tx)}`
		return viewSchedule(row!)
	})
}

export async function deleteSchedule(sql: Sql, { id }: ScheduledDeployment, schedule: string): Promise<void> {
	await sql.begin(async (tx) => {
		await requireSchedule(tx, id, schedule)
		await tx`delete from schedules where id = ${schedule}`
	})
}

/** The agent's schema is asked now, for whoever makes the schedule, and again at every time, as the agent may change. */
async function requireFitting(parts: Parts, slug: string, inputs: Record<string, unknown>): Promise<void> {
	const known = await parts.deployments.find(slug)
	canonicalInputs(inputs)
	if (!known) return
	mapFiles(filePlaces(known.agent.inputs), inputs, (_file, _place, pointer) => {
		const message = 'is a file, which ends with its runs; a schedule holds none'
		throw new Problem('inputs_invalid', `The inputs do not fit a schedule: ${pointer} ${message}.`, {
			errors: [{ path: `/inputs${pointer}`, message }],
		})
	})
	await requireInputs(parts, known, inputs, OWNER)
}
