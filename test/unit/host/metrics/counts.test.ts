import { expect, test } from 'vitest'
import { createMetrics } from '../../../../host/metrics/index.ts'
import { prometheusText } from '../../../../host/metrics/text.ts'

const linesOf = (metrics: ReturnType<typeof createMetrics>, name: string) =>
	prometheusText(metrics.read())
		.split('\n')
		.filter((line) => line.startsWith(`${name}{`))

const end = { code: '', seconds: 1, queuedSeconds: 0.02, tokens: {} }

// Proves: observe.metrics-bounded
test('series of deployments and codes are bounded, and none is lost from the sum', () => {
	const metrics = createMetrics({ byDeployment: true })
	for (let n = 0; n < 3_000; n++)
		metrics.runEnded({
			...end,
			deployment: `dep_${n}`,
			status: n % 2 ? 'failed' : 'succeeded',
			code: `a${'b'.repeat(n % 500)}`,
		})
	for (const name of ['berth_deployment_runs_ended_total', 'berth_runs_ended_total']) {
		const lines = linesOf(metrics, name)
		expect(lines.length).toBeLessThan(1_010)
		expect(lines.reduce((all, line) => all + Number(line.split(' ').at(-1)), 0)).toBe(3_000)
	}
	expect(linesOf(metrics, 'berth_deployment_runs_ended_total').at(-1)).toMatch(
		/deployment="other",status="(failed|succeeded)",code="other"/,
	)
})

test('a histogram counts each value up to every bound that it is below', () => {
	const metrics = createMetrics({ byDeployment: false })
	for (const queuedSeconds of [0.004, 0.02, 99])
		metrics.runEnded({ ...end, deployment: 'd', status: 'failed', queuedSeconds })
	const buckets = linesOf(metrics, 'berth_run_queue_seconds_bucket')
	expect(buckets.map((line) => line.split(' ')[1])).toEqual([
		'1',
		'1',
		'2',
		'2',
		'2',
		'2',
		'2',
		'2',
		'2',
		'2',
		'3',
	])
	expect(buckets.at(-1)).toContain('le="+Inf"')
	expect(linesOf(metrics, 'berth_deployment_runs_ended_total')).toEqual([])
})

test('labels of strangers cannot end their quotes', () => {
	const metrics = createMetrics({ byDeployment: true })
	metrics.runEnded({ ...end, deployment: 'a"} 1\n', status: 'failed', code: 'b"c\n' })
	expect(linesOf(metrics, 'berth_deployment_runs_ended_total')).toEqual([
		'berth_deployment_runs_ended_total{deployment="a\\"} 1\\n",status="failed",code="bc"} 1',
	])
})

// Proves: observe.metrics-guard
test('verdicts on claims and decisions on texts are counted, refused calls without', () => {
	const metrics = createMetrics({ byDeployment: false })
	const call = { seconds: 0.2, tool: 'guard_verify' }
	metrics.guardCalled({ ...call, answer: { results: [{ verdict: 'verified' }, { verdict: 'unsupported' }] } })
	metrics.guardCalled({ ...call, tool: 'guard_screen', answer: { decision: 'block' } })
	metrics.guardCalled({ ...call, answer: null })
	expect(linesOf(metrics, 'berth_guard_verdicts_total')).toEqual([
		'berth_guard_verdicts_total{tool="guard_verify",verdict="verified"} 1',
		'berth_guard_verdicts_total{tool="guard_verify",verdict="unsupported"} 1',
		'berth_guard_verdicts_total{tool="guard_screen",verdict="block"} 1',
	])
	expect(linesOf(metrics, 'berth_guard_call_seconds_count')).toEqual([
		'berth_guard_call_seconds_count{tool="guard_verify",outcome="answered"} 1',
		'berth_guard_call_seconds_count{tool="guard_screen",outcome="answered"} 1',
		'berth_guard_call_seconds_count{tool="guard_verify",outcome="refused"} 1',
	])
})
