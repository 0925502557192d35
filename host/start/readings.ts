import { type Family, outside, stateOf } from '../metrics/index.ts'
import type { Features } from './features.ts'

/** Everything that is told of this host in figures: counted, so just now, and asked of others. */
export function readings(features: Features): () => Promise<Family[]> {
	const { config, metrics, runs, runtime, lease, traces, disk } = features
	const asked = outside(features)
	return async () => [
		...metrics.read(),
		...stateOf({
			runsLive: runs.live.size,
			runsMost: config.MAX_CONCURRENT_RUNS,
			runtimeUp: runtime.pid() !== undefined,
			leaseHeld: lease.held(),
			spans: traces?.counts(),
			diskFreeMb: disk.freeMb(),
		}),
		...(await asked()),
	]
}
