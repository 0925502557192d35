/**
 * Whether the model of a run may be asked while its row is inserted. If the insert fails, nobody was told of the run, and
 * a provider has answered a question that no usage shows. So it is done only where the insert has every reason to hold.
 */
import { hasBudget, type KnownDeployment } from '../../deployments/index.ts'
import type { LiveRun } from './types.ts'

/** The database answered then, and the deployment was what this host took it for. */
const FRESH_MS = 1_000
/** Beyond so many runs in flight all processors are at work, and what is begun earlier only delays what is under way. */
const IN_FLIGHT_MOST = 64

export interface Ahead {
	mayAsk(run: LiveRun): boolean
	/** What became of the insert of one. */
	note(run: LiveRun): void
}

export function createAhead(inFlight: () => number): Ahead {
	/** By the deployment as it was: another `rev` of it is another object. */
	const storedAt = new WeakMap<KnownDeployment, number>()
	return {
		mayAsk({ deployment, lineage }) {
			const at = storedAt.get(deployment)
			if (at === undefined || performance.now() - at > FRESH_MS) return false
			return inFlight() <= IN_FLIGHT_MOST && !hasBudget(deployment, lineage)
		},
		note({ deployment, stored }) {
			if (stored) storedAt.set(deployment, performance.now())
			else storedAt.delete(deployment)
		},
	}
}
