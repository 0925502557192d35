import type { Host, RuntimeHandlers } from '../context.ts'
import { readDecision } from './approvals.ts'

/** What the runtime asks about runs. */
export function runHandlers(host: Host) {
	return {
		calls: {
			'run.commit': (args) => host.runs.calls['run.commit'](args),
			'run.end': (args) => host.runs.calls['run.end'](args),
			'approval.get': async ({ run, id }) => ({ decision: await readDecision(host.sql, run, id) }),
		},
		notes: {},
	} satisfies {
		calls: Pick<RuntimeHandlers['calls'], 'run.commit' | 'run.end' | 'approval.get'>
		notes: object
	}
}
