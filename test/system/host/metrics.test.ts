import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { bundleOf, deploy, run } from '../../kit/agent.ts'
import { startHost, type TestHost } from '../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../kit/model-server.ts'

// /metrics: Prometheus text exposition format 0.0.4, and what is made of it.

let open: TestHost
let guarded: TestHost
let models: ModelServer

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.', usage: { input: 30, output: 4 } },
		down: { fault: { status: 401 } },
	})
	open = await startHost({ egressAllow: ['127.0.0.1'] })
	// With everything that brings metrics of its own.
	guarded = await startHost({
		database: 'embedded',
		egressAllow: ['127.0.0.1'],
		env: { METRICS_TOKEN: 'a-token', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
	})
})
afterAll(() => Promise.all([open.close(), guarded.close(), models.close()]))

async function samples(host = open, token?: string): Promise<Record<string, number>> {
	const { status, headers, text } = await host.call('/metrics', { ...(token !== undefined && { token }) })
	expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
	expect(text.endsWith('\n')).toBe(true)
	const lines = text.trimEnd().split('\n')
	for (const line of lines)
		expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? -?[0-9.e+-]+)$/)
	const values = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/ (?=\S+$)/))
	return Object.fromEntries(values.map(([name, value]) => [name, Number(value)]))
}

const agentAt = async (host: TestHost, name: string) => {
	const account = await host.account({ plan: 'team' })
	const model = `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
	return deploy(host, account, await bundleOf({ model }), `secret-${name}`)
}

// Proves: observe.metrics
test('what ended, how, and what it used is counted; nothing tells whose it was', async () => {
	const before = await samples()
	expect(before).toMatchObject({
		berth_runs_live: 0,
		berth_runtime_up: 1,
		berth_lease_held: 1,
		berth_database_up: 1,
		'berth_webhooks_due{place="local"}': 0,
		'berth_sandboxes{use="spare"}': expect.any(Number),
	})
	for (const [name, times] of [
		['m', 2],
		['down', 1],
	] as const) {
		const at = await agentAt(open, name)
		for (let n = 0; n < times; n++) await run(open, at)
	}
	const { text } = await open.call('/metrics')
	expect(text).not.toMatch(/secret|dep_|acc_|run_[0-9a-hjkmnp-tv-z]{26}/)
	expect(await samples()).toMatchObject({
		'berth_runs_ended_total{status="succeeded",code=""}': 2,
		'berth_runs_ended_total{status="failed",code="provider_auth_failed"}': 1,
		'berth_run_tokens_total{kind="input"}': 60,
		'berth_run_tokens_total{kind="output"}': 8,
		'berth_run_duration_seconds_bucket{le="+Inf"}': 3,
		berth_run_duration_seconds_count: 3,
		berth_run_queue_seconds_count: 3,
		berth_runs_live: 0,
	})
})

// Proves: observe.metrics-token, observe.metrics-deployments
test('METRICS_TOKEN is asked for where it is set; who brings it sees runs by deployment', async () => {
	const refused = await guarded.call('/metrics')
	expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
	const wrong = await guarded.call('/metrics', { token: 'a toke' })
	expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
	const at = await agentAt(guarded, 'm')
	await run(guarded, at)
	expect(await samples(guarded, 'a-token')).toMatchObject({
		[`berth_deployment_runs_ended_total{deployment="${at.id}",status="succeeded",code=""}`]: 1,
	})
})

const folder = join(import.meta.dirname, '../../../host/install/monitoring')
const rules = (
	parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')) as {
		groups: { rules: { alert: string; expr: string }[] }[]
	}
).groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as {
	panels: { title: string; targets?: { expr: string }[] }[]
}
const queries = [
	...rules.map(({ alert, expr }) => ({ of: alert, expr })),
	...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
]

/** Names of metrics in a query; throws where it is none. */
function metricsIn(query: string): string[] {
	const text = query.replaceAll('$__rate_interval', '1m')
	const found: string[] = []
	parser.parse(text).iterate({
		enter({ name, type, from, to, node }) {
			if (type.isError) throw new Error(`${query} is no PromQL at ${from}`)
			if (name === 'Identifier' && node.parent?.name === 'VectorSelector') found.push(text.slice(from, to))
		},
	})
	return found
}

describe('the dashboard and the alert rules', () => {
	// Proves: observe.dashboard
	test('ask for metrics that a host has, in PromQL', async () => {
		expect(() => metricsIn('sum(rate(a[5m]')).toThrow()
		const { text } = await guarded.call('/metrics', { token: 'a-token' })
		const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
		const there = new Set([
			// Prometheus' own, of each target.
			'up',
			...families.flatMap(([, name = '', type]) =>
				type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
			),
		])
		const asked = queries.flatMap(({ of, expr }) => metricsIn(expr).map((metric) => ({ of, metric })))
		expect(asked.length).toBeGreaterThan(queries.length - 1)
		expect(asked.filter(({ metric }) => !there.has(metric))).toEqual([])
	})

	// Proves: observe.runbook
	test('each alert has its line on the operator’s page', () => {
		const page = readFileSync(join(folder, '../../OPERATING.md'), 'utf8')
		const lines = [...page.matchAll(/^\| `(Berth\w+)` \| .{20,} \| .{20,} \|$/gm)].map(([, name]) => name)
		expect(lines.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
	})
})
