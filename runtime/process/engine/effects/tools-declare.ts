import { RunFailure } from '../failure.ts'
import { note } from '../settle.ts'
import type { Handler } from './handler.ts'

export const toolsDeclare: Handler = {
	run(run, effect) {
		if (run.guest.tools)
			throw new RunFailure('agent_error', 'Tools are declared once, before the first call.')
		run.guest.declared = run.bundle.declared(effect.args)
		note(run, effect, 'effect.started', { method: effect.method })
	},
	replayed(run, _effect, args) {
		run.guest.declared = run.bundle.declared(args)
	},
}
