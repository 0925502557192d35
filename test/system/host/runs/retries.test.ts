import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Run, RunEvent } from '../../../../host/api/runs.ts'
import { createClient, modelText } from '../../../../host/owner/client/index.ts'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, type Script, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// A model call whose provider fails for a while: made again, and the stream says what of it is void.

const TEXT = 'One two three four five six seven.'
let host: TestHost
let models: ModelServer
let account: TestAccount

beforeAll(async () => {
	models = await startModelServer()
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

async function agent(name: string, script: Script, settings = '', yaml = ''): Promise<Running> {
	models.scripts[name] = script
	const model = `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}"${settings} }`
	return deploy(host, account, await bundleOf({ model, yaml }))
}
const asked = (name: string) => models.requests.filter(({ body }) => body.model === name)

async function streamed({ url, run_key }: Running): Promise<RunEvent[]> {
	const events: RunEvent[] = []
	for await (const event of createClient({ baseUrl: host.url, token: run_key }).runs.stream(url, {}))
		events.push(event)
	return events
}

// Proves: provider.retry-void
test.concurrent('a stream cut after its first words is made again, and what it said is marked as void', async () => {
	const deployed = await agent('cut', ({ count }) => ({
		text: TEXT,
		chunk: 4,
		dripMs: 60,
		...(count === 0 && { fault: 'cut' }),
	}))
	const events = await streamed(deployed)
	const types = events.map(({ type }) => type)
	expect(types.at(-1)).toBe('run.completed')
	expect(asked('cut')).toHaveLength(2)

	const retrying = events.find(({ type }) => type === 'model.retrying')
	expect(retrying?.data).toMatchObject({ call: 1, attempt: 1, error: { code: 'provider_unavailable' } })
	expect(retrying?.data.delay_ms).toBeGreaterThan(0)
	const deltas = events.filter(({ type }) => type === 'model.delta')
	const said = (attempt: number) =>
		deltas
			.filter(({ data }) => data.attempt === attempt)
			.map(({ data }) => data.text)
			.join('')
	expect(TEXT.startsWith(said(1)) && said(1) !== '' && said(1) !== TEXT).toBe(true)
	expect(said(2)).toBe(TEXT)
	// Everything of the lost attempt stands before the event that voids it.
	const lastVoid = events.findLastIndex(({ type, data }) => type === 'model.delta' && data.attempt === 1)
	expect(lastVoid).toBeLessThan(types.indexOf('model.retrying'))
	const again = events.filter(({ type }) => type === 'model.started').at(-1)
	expect(again?.data).toMatchObject({ call: 1, attempt: 2 })

	const text = modelText()
	for (const event of events) text.add(event)
	expect(text.of(1)).toBe(TEXT)
})

// Proves: provider.retry-counted
test.concurrent('what a lost attempt has cost is counted', async () => {
	const deployed = await agent('lost', ({ count }) => ({
		text: TEXT,
		chunk: 4,
		usage: { input: 20, output: 10 },
		...(count === 0 && { fault: 'cut' }),
	}))
	const { body } = await run(host, deployed)
	const { usage } = body as unknown as Run
	expect(body.status).toBe('succeeded')
	expect(usage.model_calls).toBe(2)
	expect(usage.output_tokens).toBeGreaterThan(10)
	expect(usage.input_tokens).toBeGreaterThan(20)
})

// Proves: provider.retried
test.concurrent('a provider that is overloaded for longer than two tries is waited for', async () => {
	const statuses = [503, 429, 529, 500]
	const deployed = await agent('busy', ({ count }) => {
		const status = statuses[count]
		return status === undefined ? { text: TEXT } : { fault: { status } }
	})
	const events = await streamed(deployed)
	expect(events.at(-1)?.type).toBe('run.completed')
	const retries = events.filter(({ type }) => type === 'model.retrying').map(({ data }) => data)
	expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
	expect(retries.map(({ error }) => (error as { message: string }).message)).toEqual(
		statuses.map((status) => expect.stringContaining(String(status))),
	)
	const delays = retries.map(({ delay_ms }) => delay_ms as number)
	expect(delays).toEqual([...delays].sort((a, b) => a - b))
	// A refused attempt costs nothing.
	expect(events.at(-1)?.data.usage).toMatchObject({ input_tokens: 20, output_tokens: 10, model_calls: 5 })
})

// Proves: provider.retried
test.concurrent('an agent sets how long, and an agent with model.retry_seconds 0 asks once', async () => {
	const never = await agent('never', { fault: { status: 503 } }, ', retry_seconds: 0')
	const brief = await agent('brief', { fault: { status: 503 } }, ', retry_seconds: 0.3')
	const [once, twice] = await Promise.all([run(host, never), run(host, brief)])
	expect([once, twice].map(({ body }) => (body as { code?: string }).code)).toEqual([
		'provider_unavailable',
		'provider_unavailable',
	])
	expect([asked('never').length, asked('brief').length]).toEqual([1, 2])
})

// Proves: provider.retry-wait-kept
test.concurrent('a wait the provider asks for beyond the budget is not begun', async () => {
	const deployed = await agent('later', { fault: { status: 429, headers: { 'retry-after': '60' } } })
	expect((await run(host, deployed)).body).toMatchObject({ code: 'provider_rate_limited' })
	expect(asked('later')).toHaveLength(1)
})

// Proves: provider.not-retried
test.concurrent.each([400, 401, 403, 404, 413, 422])('%i is not repeated', async (status) => {
	const name = `status-${status}`
	const deployed = await agent(name, { fault: { status, headers: { 'x-should-retry': 'true' } } })
	expect((await run(host, deployed)).status).toBeGreaterThanOrEqual(500)
	expect(asked(name)).toHaveLength(1)
})

// Proves: provider.retry-cancelled
test.concurrent('a run cancelled while it waits is over at once, and asks no more', async () => {
	const deployed = await agent('wait', { fault: { status: 429, headers: { 'retry-after': '20' } } })
	const accepted = await run(host, deployed, {}, { prefer: 'respond-async' })
	await until(async () => asked('wait').length === 1)
	const cancel = { method: 'POST', token: deployed.run_key }
	const { body } = await host.call(`${deployed.url}/runs/${accepted.body.id}/cancel`, cancel)
	expect(body.status).toBe('cancelled')
	expect(asked('wait')).toHaveLength(1)
})
