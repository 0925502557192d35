import { RunFailure } from '../failure.ts'
import type { Handler } from './handler.ts'

/** A run cannot wait for a person yet. It ends here rather than going on as if somebody had agreed. */
export const approve: Handler = {
	run() {
		throw new RunFailure(
			'agent_error',
			'The program asked for an approval, and this version of Berth cannot ask for one yet.',
		)
	},
}
