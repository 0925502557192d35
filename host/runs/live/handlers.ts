import type { HostHandlers } from '../../../runtime/supervisor/client.ts'
import { type Holder, reserve, reserveShare, settle } from '../../budgets/index.ts'
import type { Sql } from '../../db/index.ts'
import { readDecision } from './approvals.ts'
import type { Runs } from './service.ts'
import { Fenced, type RunEngine } from './types.ts'

type LiveRuns = Pick<RunEngine, 'live' | 'calls'> & Pick<Runs, 'left'>

/** What the runtime asks about runs. */
export function runHandlers({ sql, runs }: { sql: Sql; runs: LiveRuns }) {
	return {
		calls: {
			'run.commit': (args) => runs.calls['run.commit'](args),
			'run.end': (args) => runs.calls['run.end'](args),
			'approval.get': async ({ run, id }) => ({ decision: await readDecision(sql, run, id) }),
			'budget.reserve': async (ask) => reserve(sql, holderOf(runs, ask), ask),
			'budget.share': async (ask) => reserveShare(sql, holderOf(runs, ask), ask),
			'budget.settle': async (ask) => settle(sql, ask),
		},
		notes: { 'run.left': (left) => runs.left(left) },
	} satisfies {
		calls: Pick<
			HostHandlers['calls'],
			'run.commit' | 'run.end' | 'approval.get' | 'budget.reserve' | 'budget.share' | 'budget.settle'
		>
		notes: Pick<HostHandlers['notes'], 'run.left'>
	}
}

function holderOf({ live }: LiveRuns, { run: id, epoch }: { run: string; epoch: number }): Holder {
	const run = live.get(id)
	if (run?.epoch !== epoch) throw new Fenced(id)
	return { deployment: run.deployment.id, lineage: run.lineage }
}
