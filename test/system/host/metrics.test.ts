import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy, run } from '../../kit/agent.ts'
import { startHost, type TestHost } from '../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../kit/model-server.ts'

// /metrics: Prometheus text exposition format 0.0.4.

let open: TestHost
let guarded: TestHost
let models: ModelServer

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.', usage: { input: 30, output: 4 } },
		down: { fault: { status: 401 } },
	})
	open = await startHost({ egressAllow: ['127.0.0.1'] })
	guarded = await startHost({ env: { METRICS_TOKEN: 'a-token' } })
})
afterAll(() => Promise.all([open.close(), guarded.close(), models.close()]))

async function samples(): Promise<Record<string, number>> {
	const { status, headers, text } = await open.call('/metrics')
	expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
	expect(text.endsWith('\n')).toBe(true)
	const lines = text.trimEnd().split('\n')
	for (const line of lines)
		expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? -?[0-9.e+]+)$/)
	const values = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/ (?=\S+$)/))
	return Object.fromEntries(values.map(([name, value]) => [name, Number(value)]))
}

// Proves: observe.metrics
test('what ended, how, and what it used is counted; nothing tells whose it was', async () => {
	const before = await samples()
	expect(before).toMatchObject({ berth_runs_live: 0, berth_runtime_up: 1, berth_lease_held: 1 })
	const account = await open.account({ plan: 'team' })
	for (const [name, times] of [
		['m', 2],
		['down', 1],
	] as const) {
		const model = `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
		const at = await deploy(open, account, await bundleOf({ model }), `secret-${name}`)
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
		berth_runs_live: 0,
	})
})

// Proves: observe.metrics-token
test('METRICS_TOKEN is asked for where it is set', async () => {
	const refused = await guarded.call('/metrics')
	expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
	expect((await guarded.call('/metrics', { token: 'a toke' })).status).toBe(401)
	expect((await guarded.call('/metrics', { token: 'a-token' })).status).toBe(200)
})
