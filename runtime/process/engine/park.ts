/** A run that can only wait for people gives back everything it holds; it begins again, with its journal, when they have decided. */
import { loggedError } from '../../lib/log-error.ts'
import { stop } from './end.ts'
import type { Run } from './run.ts'

/** So long nothing has happened: the program is not in the middle of something. Were it, it would only do it again. */
const QUIET_MS = 200

export function onlyWaits({ pending, running, guest, closings, activeAt }: Run, now: number): boolean {
	return (
		pending.size > 0 &&
		pending.size === running.size &&
		guest.delivered === closings.length &&
		now - activeAt >= QUIET_MS
	)
}

/** From here on the run is the host's, which holds no process for it. */
export async function park(run: Run): Promise<void> {
	run.recorder.append({ type: 'run.waiting', data: { approvals: idsOf(run), usage: run.usage } })
	stop(run, 'the run waits for a decision')
	try {
		await run.recorder.barrier()
	} catch (error) {
		run.services.host.notify('log', {
			level: 'warn',
			message: 'a run could not be parked',
			data: { run: run.begin.run, error: loggedError(error) },
		})
	}
	run.finished.resolve()
}

/** Shows that the run waits, and keeps its process, for a connector's call is open. Waiting is not the run's time. */
export function hold(run: Run, now: number): void {
	if (run.heldSince !== undefined) return
	run.heldSince = now
	const data = { approvals: idsOf(run), usage: run.usage, held: true }
	run.recorder.append({ type: 'run.waiting', data })
	run.recorder.flush()
}

/** After `hold`: something happens again. */
export function goOn(run: Run, now: number): void {
	if (run.heldSince === undefined) return
	run.deadline += now - run.heldSince
	run.heldSince = undefined
}

const idsOf = ({ pending }: Run) => [...pending.values()].map(({ id }) => id)
