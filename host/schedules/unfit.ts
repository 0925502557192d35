import {
	type Agent,
	canonicalJson,
	compileSchema,
	completer,
	sha256,
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
		// In place of a run key's lineage: one whose check takes too long keeps from being checked no other schedule, no
		// run, and not itself with another version.
		const found = await validate(completed.value, { queue: id, caller: `${schedule} ${digest}` })
		return found.map(({ path, message }) => ({ path: `/inputs${path}`, message }))
	}
	const unfit: UnfitSchedule[] = []
	for (const row of rows) {
		const errors = await faultsOf(row)
		if (errors.length > 0) unfit.push({ schedule: row.id, cron: row.cron, timezone: row.timezone, errors })
	}
	return unfit
}

type Row = Pick<UnfitSchedule, 'cron' | 'timezone'> & { id: string; inputs: Record<string, unknown> }
