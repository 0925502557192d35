import type { Host, RuntimeHandlers } from '../context.ts'

/** What the runtime asks about runs. */
export function runHandlers(host: Host) {
	return {
		calls: {
			'run.commit': (args) => host.runs.calls['run.commit'](args),
			'run.end': (args) => host.runs.calls['run.end'](args),
		},
		notes: {},
	} satisfies { calls: Pick<RuntimeHandlers['calls'], 'run.commit' | 'run.end'>; notes: object }
}
