import { type Agent, compileSchema, completer, withAddress } from '../../bundles/index.ts'
import type { UnfitSchedule } from '../api/schedules.ts'
import type { Sql } from '../db/index.ts'

interface Scheduled {
	id: string
	/** `deployment_url`. */
	url: string
}

/** In place of a run key's lineage: schedules whose check takes too long keep nobody's runs from being checked. */
const CALLER = 'schedules'

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
	const faultsOf = async (inputs: Row['inputs']) => {
		const completed = complete ? complete(inputs) : { value: inputs }
		if ('fault' in completed) return [{ path: '/inputs', message: completed.fault }]
		const found = await validate(completed.value, { queue: id, caller: CALLER })
		return found.map(({ path, message }) => ({ path: `/inputs${path}`, message }))
	}
	const unfit: UnfitSchedule[] = []
	for (const { id: schedule, cron, timezone, inputs } of rows) {
		const errors = await faultsOf(inputs)
		if (errors.length > 0) unfit.push({ schedule, cron, timezone, errors })
	}
	return unfit
}

type Row = Pick<UnfitSchedule, 'cron' | 'timezone'> & { id: string; inputs: Record<string, unknown> }
