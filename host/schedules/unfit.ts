import {
	type Agent,
	canonicalJson,
	compileSchema,
	completer,
	type SchemaError,
	sha256,
	type Validate,
	withAddress,
} from '../../bundles/index.ts'
import type { UnfitSchedule } from '../api/schedules.ts'
import type { Sql } from '../db/index.ts'

interface Scheduled {
	id: string
	/** `deployment_url`. */
	url: string
}

/** Live schedules whose inputs do not fit a version of their deployment (spec schedule.unfit). */
export async function unfitSchedules(
	sql: Sql,
	{ id, url }: Scheduled,
	agent: Agent,
): Promise<UnfitSchedule[]> {
	const rows = await sql<Row[]>`
		select id, cron, timezone, inputs from schedules where deployment_id = ${id} and enabled order by id`
	if (rows.length === 0) return []
	const schema = withAddress(agent.inputs, url)
	const [complete, validate] = [completer(schema), compileSchema(schema)]
	const digest = sha256(canonicalJson(schema))
	const faultsOf = async ({ id: schedule, inputs }: Row) => {
		const completed = complete ? complete(inputs) : { value: inputs }
		if ('fault' in completed) return [{ path: '/inputs', message: completed.fault }]
		// A queue of its own: it waits behind no calls. In place of a run key's lineage: one whose check takes too long keeps
		// from being checked no other schedule, no run, and not itself with another version.
		const asker = { queue: `${id} schedules`, caller: `${schedule} ${digest}` }
		const found = await judged(() => validate(completed.value, asker))
		return found.map(({ path, message }) => ({ path: `/inputs${path}`, message }))
	}
	const unfit: UnfitSchedule[] = []
	for (const row of rows) {
		const errors = await faultsOf(row)
		if (errors.length > 0) unfit.push({ schedule: row.id, cron: row.cron, timezone: row.timezone, errors })
	}
	return unfit
}

const TRIES = 2

/** Of a check that only waited or lost its thread nothing is known, also not that the inputs do not fit. */
async function judged(check: () => ReturnType<Validate>): Promise<SchemaError[]> {
	for (let tries = 0; tries < TRIES; tries++) {
		const found = await check()
		if (found[0]?.retry_seconds === undefined || found[0].timed_out) return found
	}
	return []
}

type Row = Pick<UnfitSchedule, 'cron' | 'timezone'> & { id: string; inputs: Record<string, unknown> }
