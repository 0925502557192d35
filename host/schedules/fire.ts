import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { acceptRun } from '../runs/index.ts'
import type { FiringParts } from './parts.ts'
import { dueAt, readTimes } from './times.ts'

type Parts = Omit<FiringParts, 'signal'>

/** A schedule whose time has come, leased to this parts. */
export interface DueSchedule {
	id: string
	slug: string
	cron: string
	timezone: string
	inputs: Record<string, unknown>
	missed: 'skip' | 'run_once'
	next_at: Date
	/** By Postgres's clock, as it was found due: hosts' clocks may differ, and one that is ahead would find all of it missed. */
	now: Date
}

/** Longer than a run takes to be accepted: one whose host died is taken by another then. */
const leaseSeconds = 30
/** Answers of the moment: the same time is tried again this much later, for as long as it is not missed. */
const passing = new Set(['overloaded', 'conflict', 'deployment_not_running'])
const againSeconds = 5

/** Of deployments of this place that run: what comes while one is stopped is found late, and then the missed policy says what it was. */
export async function claimSchedules(sql: Sql, place: string, atMost: number): Promise<DueSchedule[]> {
	return sql<DueSchedule[]>`
		update schedules s set lease_until = now() + make_interval(secs => ${leaseSeconds})
		from deployments d
		where s.id in (
				select due.id from schedules due join deployments p on p.id = due.deployment_id and p.state = 'running'
					and p.place = ${place}
				where due.next_at <= now() and (due.lease_until is null or due.lease_until < now())
				order by due.next_at limit ${atMost} for update of due skip locked
			)
			and d.id = s.deployment_id
		returning s.id, d.slug, s.cron, s.timezone, s.inputs, s.missed, s.next_at, now() as now`
}

/**
 * One time of one schedule makes one run, however often this is done for it: the run's idempotency key is the schedule
 * and the time. The schedule then goes on to its next time, unless its owner has changed it meanwhile.
 */
export async function fireSchedule(parts: Parts, due: DueSchedule): Promise<void> {
	const what = dueAt(readTimes(due.cron, due.timezone), due.missed, due.next_at, due.now)
	if (!what.fire) {
		await parts.sql`
			update schedules set next_at = ${what.next}, lease_until = null, skipped_at = ${what.skipped}
			where id = ${due.id} and next_at = ${due.next_at}`
		return
	}
	const fired = await begin(parts, due)
	if (fired.error && passing.has(fired.error.code)) {
		await parts.sql`
			update schedules
			set lease_until = now() + make_interval(secs => ${againSeconds}), last_error = ${JSON.stringify(fired.error)}::text::json
			where id = ${due.id} and next_at = ${due.next_at}`
		return
	}
	if (fired.error)
		parts.log.warn({ schedule: due.id, code: fired.error.code }, 'a scheduled run was not accepted')
	await parts.sql`
		update schedules
		set next_at = ${what.next}, lease_until = null, last_at = ${due.next_at}, last_run_id = ${fired.run},
			last_error = ${fired.error && JSON.stringify(fired.error)}::text::json
		where id = ${due.id} and next_at = ${due.next_at}`
}

interface Fired {
	run: string | null
	error: { code: string; message: string } | null
}

async function begin(
	{ deployments, runs }: Parts,
	{ id, slug, inputs, next_at }: DueSchedule,
): Promise<Fired> {
	try {
		const known = await deployments.find(slug)
		if (!known) throw new Problem('deployment_not_running', 'The deployment is gone.')
		const accepted = await acceptRun(runs.engine, known, {
			inputs,
			lineage: null,
			idempotencyKey: `${id}:${next_at.toISOString()}`,
			stream: false,
		})
		return { run: accepted.replayed ? accepted.record.id : accepted.live.id, error: null }
	} catch (error) {
		if (!(error instanceof Problem)) throw error
		return { run: null, error: { code: error.code, message: error.message + aboutFiles(error, inputs) } }
	}
}

/** Of a schedule that is older than the rule: its file was there as long as a run that had it. */
function aboutFiles({ code }: Problem, inputs: Record<string, unknown>): string {
	if (code !== 'inputs_invalid' || !/"file":"file_/.test(JSON.stringify(inputs))) return ''
	return ' A schedule holds no file, as a file ends with its runs: give the schedule other inputs.'
}
