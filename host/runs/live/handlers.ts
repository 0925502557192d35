import type { HostHandlers } from '../../../runtime/supervisor/client.ts'
import { type Holder, reserve, settle } from '../../budgets/index.ts'
import type { Host } from '../../context.ts'
import { readDecision } from './approvals.ts'
import { Fenced } from './types.ts'

/** What the runtime asks about runs. */
export function runHandlers(host: Host) {
	return {
		calls: {
			'run.commit': (args) => host.runs.calls['run.commit'](args),
			'run.end': (args) => host.runs.calls['run.end'](args),
			'approval.get': async ({ run, id }) => ({ decision: await readDecision(host.sql, run, id) }),
			'budget.reserve': async (ask) => reserve(host.sql, holderOf(host, ask), ask),
			'budget.settle': async (ask) => settle(host.sql, ask),
		},
		notes: {},
	} satisfies {
		calls: Pick<
			HostHandlers['calls'],
			'run.commit' | 'run.end' | 'approval.get' | 'budget.reserve' | 'budget.settle'
		>
		notes: object
	}
}

function holderOf(host: Host, { run: id, epoch }: { run: string; epoch: number }): Holder {
	const run = host.runs.live.get(id)
	if (run?.epoch !== epoch) throw new Fenced(id)
	return { deployment: run.deployment.id, lineage: run.lineage }
}
