import { type Family, gauge } from './series.ts'

/** What is so at the moment, and costs nothing to ask. */
export interface State {
	runsLive: number
	runsMost: number
	runtimeUp: boolean
	leaseHeld: boolean
	/** Of traces; undefined: none are made. */
	spans: { exported: number; dropped: number } | undefined
	/** Of the embedded database; undefined: its disk is not watched. */
	diskFreeMb: number | undefined
}

export function stateOf({ runsLive, runsMost, runtimeUp, leaseHeld, spans, diskFreeMb }: State): Family[] {
	const { heapUsed, rss } = process.memoryUsage()
	const { user, system } = process.cpuUsage()
	return [
		gauge('berth_runs_live', 'Runs in flight on this host.', runsLive),
		gauge('berth_runs_most', 'MAX_CONCURRENT_RUNS.', runsMost),
		gauge('berth_runtime_up', 'The runtime process is there.', Number(runtimeUp)),
		gauge('berth_lease_held', 'This host may write.', Number(leaseHeld)),
		...(spans === undefined ? [] : [spansOf(spans)]),
		...(diskFreeMb === undefined
			? []
			: [gauge('berth_disk_free_bytes', 'Of the disk of DATA_DIR.', diskFreeMb * 2 ** 20)]),
		{
			...gauge('process_cpu_seconds_total', 'Of the host process.', (user + system) / 1e6),
			type: 'counter',
		} as Family,
		gauge('process_resident_memory_bytes', 'Of the host process.', rss),
		gauge('nodejs_heap_size_used_bytes', 'Of the host process.', heapUsed),
		gauge('process_start_time_seconds', 'Since the epoch.', performance.timeOrigin / 1000),
	]
}

const spansOf = (spans: { exported: number; dropped: number }): Family => ({
	name: 'berth_trace_spans_total',
	help: 'Spans for the collector of traces.',
	type: 'counter',
	samples: Object.entries(spans).map(([outcome, value]) => ({ labels: { outcome }, value })),
})
