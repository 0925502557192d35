import { createHash, timingSafeEqual } from 'node:crypto'
import { Problem } from './errors.ts'
import { anyone } from './operation.ts'
import type { App } from './route.ts'

/**
 * What this process has done since it started (spec observe.metrics). Counted in memory: being looked at costs the
 * database nothing, and tells of no account, deployment or address.
 */
export interface Metrics {
	runEnded(end: { status: string; code: string; seconds: number; tokens: Record<string, number> }): void
	webhookAttempted(outcome: 'delivered' | 'failed'): void
	/** Prometheus text exposition format 0.0.4. */
	read(now: Gauges): string
}

/** What is counted nowhere, but is so at the moment. */
export interface Gauges {
	runsLive: number
	runtimeUp: boolean
	leaseHeld: boolean
	/** Of traces; undefined: none are made. */
	spans: { exported: number; dropped: number } | undefined
}

/** Upper bounds in seconds: from an answer of one fast call to a run that waited for a person. */
const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]
/** Codes are the runtime's, which is not believed to know few, nor to write them plainly. */
const codesMax = 64
const plain = (code: string) => code.replace(/[^a-z_]/g, '')
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

export function createMetrics(): Metrics {
	const runs = new Map<string, number>()
	const tokens = new Map<string, number>()
	const attempts = new Map<string, number>()
	const within = buckets.map(() => 0)
	let [ended, seconds] = [0, 0]
	const add = (counts: Map<string, number>, labels: string, n = 1) =>
		void counts.set(labels, (counts.get(labels) ?? 0) + n)
	return {
		runEnded(end) {
			const labels = `status="${end.status}",code="${plain(end.code)}"`
			add(runs, runs.has(labels) || runs.size < codesMax ? labels : 'status="other",code="other"')
			for (const [kind, n] of Object.entries(end.tokens)) add(tokens, `kind="${kind}"`, n)
			ended += 1
			seconds += end.seconds
			for (const [at, bound] of buckets.entries()) if (end.seconds <= bound) within[at]! += 1
		},
		webhookAttempted: (outcome) => add(attempts, `outcome="${outcome}"`),
		read({ runsLive, runtimeUp, leaseHeld, spans }) {
			const { heapUsed, rss } = process.memoryUsage()
			const { user, system } = process.cpuUsage()
			const up = (yes: boolean) => [['', yes ? 1 : 0]] as const
			return [
				family('berth_runs_ended_total', 'counter', 'Runs this process saw to their end.', runs),
				family('berth_run_duration_seconds', 'histogram', 'From acceptance to the end of a run.', [
					...buckets.map((bound, at) => [`le="${bound}"`, within[at]!, '_bucket'] as const),
					['le="+Inf"', ended, '_bucket'],
					['', seconds, '_sum'],
					['', ended, '_count'],
				]),
				family('berth_run_tokens_total', 'counter', 'Model tokens of ended runs.', tokens),
				family('berth_runs_live', 'gauge', 'Runs in flight on this host.', [['', runsLive]]),
				family('berth_webhook_attempts_total', 'counter', 'Webhooks sent, again or not.', attempts),
				spans &&
					family('berth_trace_spans_total', 'counter', 'Spans for the collector of traces.', [
						['outcome="exported"', spans.exported],
						['outcome="dropped"', spans.dropped],
					]),
				family('berth_runtime_up', 'gauge', 'The runtime process is there.', up(runtimeUp)),
				family('berth_lease_held', 'gauge', 'This host may write.', up(leaseHeld)),
				family('process_cpu_seconds_total', 'counter', 'Of the host process.', [['', (user + system) / 1e6]]),
				family('process_resident_memory_bytes', 'gauge', 'Of the host process.', [['', rss]]),
				family('nodejs_heap_size_used_bytes', 'gauge', 'Of the host process.', [['', heapUsed]]),
				family('process_start_time_seconds', 'gauge', 'Since the epoch.', [
					['', performance.timeOrigin / 1000],
				]),
			]
				.filter(Boolean)
				.join('')
		},
	}
}

type Sample = readonly [labels: string, value: number, suffix?: string]

function family(name: string, type: string, help: string, samples: Iterable<Sample>): string {
	const lines = Array.from(
		samples,
		([labels, value, suffix = '']) => `${name}${suffix}${labels && `{${labels}}`} ${value}\n`,
	)
	return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** `GET /metrics`: for whoever reaches it, or for who brings `token` (METRICS_TOKEN) where that is set. */
export function metricsRoute(
	app: App,
	{ token, metrics, gauges }: { token: string; metrics: Metrics; gauges: () => Gauges },
): void {
	const sha256 = (text: string) => createHash('sha256').update(text).digest()
	const expected = sha256(`Bearer ${token}`)
	const config = {
		...anyone('getMetrics', 'What this process has done, for Prometheus', token ? ['unauthenticated'] : []),
		media: 'text/plain' as const,
	}
	app.get('/metrics', { config }, async (request, reply) => {
		if (token && !timingSafeEqual(sha256(request.headers.authorization ?? ''), expected))
			throw new Problem('unauthenticated', 'The host’s METRICS_TOKEN is asked for here, as a bearer token.', {
				headers: { 'www-authenticate': 'Bearer' },
			})
		return reply.type(contentType).send(metrics.read(gauges()))
	})
}
