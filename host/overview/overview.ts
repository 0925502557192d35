import { sharedNow } from '../../runtime/lib/clock.ts'
import type { DeploymentOverview, Overview } from '../api/overview.ts'
import type { Sql } from '../db/index.ts'
import { type Hour, hourMs, hoursShown, readHours, readRefused } from './hours.ts'
import { readStates, type State } from './states.ts'

/** Three statements at once, all of them by index; none grows with the number of runs that are kept. */
export async function readOverview(sql: Sql, accountId: string): Promise<Overview> {
	const now = sharedNow()
	const first = now - (now % hourMs) - (hoursShown - 1) * hourMs
	const [states, hours, refused] = await Promise.all([
		readStates(sql, accountId, now),
		readHours(sql, accountId, first),
		readRefused(sql, accountId, first),
	])
	const deployments = Object.fromEntries(
		states.map(({ id, ...state }) => [id, view(state, merge(hours.get(id), refused.get(id)))]),
	)
	const all = Object.values(deployments)
	return {
		failures_24h: sum(all.flatMap((one) => one.hours.map(({ failures, refused }) => failures + refused))),
		approvals_waiting: sum(all.map((one) => one.approvals_waiting)),
		deployments,
	}
}

const view = (state: Omit<State, 'id'>, hours: Hour[]): DeploymentOverview => ({ hours, ...state })

const merge = (runs?: Omit<Hour, 'refused'>[], refused?: number[]): Hour[] =>
	Array.from({ length: hoursShown }, (_, at) => ({
		runs: runs?.[at]?.runs ?? 0,
		failures: runs?.[at]?.failures ?? 0,
		refused: refused?.[at] ?? 0,
	}))

const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
