import type { Effect } from '../../wire/recorded-effect.ts'
import { abandon, fail } from './end.ts'
import { RunAbandoned } from './failure.ts'
import { contentOf, type StandIn } from './file-content.ts'
import { bytesOf } from './files.ts'
import type { Run } from './run.ts'
import { pump } from './settle.ts'

/** What a program that runs again reads of a file; its entry has only a stand-in. */
export async function fetchContent(run: Run, effect: Effect, standIn: StandIn): Promise<void> {
	const { guest } = run
	if (guest.fetching) return
	guest.fetching = true
	try {
		effect.content = contentOf(standIn, await bytesOf(run, standIn.file))
	} catch (error) {
		if (run.over) return
		if (error instanceof RunAbandoned) abandon(run, error)
		else fail(run, 'agent_error', 'A file that the run has read cannot be read any more.')
		return
	} finally {
		guest.fetching = false
	}
	if (run.guest === guest && !run.over) pump(run)
}
