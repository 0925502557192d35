import { counter, type Family, histogram, type Labels } from './series.ts'

/** What features tell as it happens. */
export interface Metrics {
	runEnded(end: {
		deployment: string
		status: string
		code: string
		/** From acceptance to its end, and to its first step. */
		seconds: number
		queuedSeconds: number
		tokens: Record<string, number>
	}): void
	webhookAttempted(outcome: 'delivered' | 'failed'): void
	guardCalled(call: { tool: string; seconds: number; answer: Record<string, unknown> | null }): void
	read(): Family[]
}

/** Upper bounds in seconds: from an answer of one fast call to a run that waited for a person. */
const runSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]
const queueSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
const guardSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Series of single deployments; the first ones keep theirs until the host stops. */
const deploymentSeries = 1000

/** Codes are the runtime's, which is not believed to write them plainly. */
const plain = (code: string) => code.replace(/[^a-z_]/g, '')

/** `byDeployment`: ids of deployments may be told. */
export function createMetrics({ byDeployment }: { byDeployment: boolean }): Metrics {
	const runs = counter('berth_runs_ended_total', 'Runs this process saw to their end.')
	const perDeployment = counter('berth_deployment_runs_ended_total', 'The same by deployment.', {
		most: deploymentSeries,
		other: ({ status = '' }) => ({ deployment: 'other', status, code: 'other' }),
	})
	const duration = histogram('berth_run_duration_seconds', 'From acceptance to the end of a run.', runSeconds)
	const queue = histogram(
		'berth_run_queue_seconds',
		'From acceptance to the first step of a run.',
		queueSeconds,
	)
	const tokens = counter('berth_run_tokens_total', 'Model tokens of ended runs.')
	const attempts = counter('berth_webhook_attempts_total', 'Webhooks sent, again or not.')
	const guard = histogram('berth_guard_call_seconds', 'Calls of the guard, answered or not.', guardSeconds)
	const verdicts = counter('berth_guard_verdicts_total', 'Verdicts on claims, decisions on texts.')
	const all = [runs, perDeployment, duration, queue, tokens, attempts, guard, verdicts]
	return {
		runEnded(end) {
			const labels = { status: end.status, code: plain(end.code) }
			runs.add(labels)
			if (byDeployment) perDeployment.add({ deployment: end.deployment, ...labels })
			for (const [kind, n] of Object.entries(end.tokens)) tokens.add({ kind }, n)
			duration.observe({}, end.seconds)
			queue.observe({}, end.queuedSeconds)
		},
		webhookAttempted: (outcome) => attempts.add({ outcome }),
		guardCalled({ tool, seconds, answer }) {
			guard.observe({ tool, outcome: answer ? 'answered' : 'refused' }, seconds)
			for (const verdict of verdictsOf(answer)) verdicts.add({ tool, ...verdict })
		},
		read: () => all.map(({ read }) => read()),
	}
}

/** Of `guard_verify` one a claim, of `guard_screen` its decision. */
function verdictsOf(answer: Record<string, unknown> | null): Labels[] {
	const { results, decision } = answer ?? {}
	const found = Array.isArray(results) ? results.map((result) => result?.verdict) : [decision]
	return found.filter((verdict) => typeof verdict === 'string').map((verdict) => ({ verdict }))
}
