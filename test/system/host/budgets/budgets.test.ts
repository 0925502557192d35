import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BudgetReport, Budgets } from '../../../../host/api/budgets.ts'
import type { IssuedKey } from '../../../../host/api/keys.ts'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost, startBeside } from '../../../kit/shared-host.ts'

// Budgets, on two hosts of one database: what runs use together never exceeds one.

let models: ModelServer
let one: TestHost
let two: TestHost
let account: TestAccount

const usage = { input: 900, output: 100 }
const cost = usage.input + usage.output

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.', usage },
		brief: { text: 'Hello.', usage, delayMs: 60 },
		slow: { text: 'At last.', usage, delayMs: 1000 },
		endless: { text: 'Never.', delayMs: 60_000 },
		priced: { text: 'Hello.', usage: { input: 1000, output: 100 } },
	})
	one = await sharedHost()
	two = await startBeside(one)
	account = await one.account({ plan: 'team' })
})
afterAll(async () => {
	await one?.call('/v1/admin/prices?provider=openai&model=priced', { method: 'DELETE', token: one.operator })
	await Promise.all([one?.close(), two?.close()])
	await models?.close()
})

/** Text that is longer than what the scripted usage says of it, as with a real model. */
const prompt = 'Greet people. '.repeat(100)
const made = async (model: string) =>
	deploy(
		one,
		account,
		await bundleOf({
			model: `{ provider: openai, name: ${model}, base_url: "${models.openaiUrl}", parameters: { max_tokens: 100 } }`,
			files: { 'prompt.md': prompt },
		}),
	)
const at = (agent: Running, host: TestHost): Running => ({
	...agent,
	url: agent.url.replace(one.url, host.url),
})
const owner = <T>(path: string, method: string, json?: unknown) =>
	one.call<T>(path, { method, token: account.token, ...(json !== undefined && { json }) })
const setBudget = async (agent: Running, budgets: Budgets | null) =>
	expect((await owner(`/v1/deployments/${agent.id}`, 'PATCH', { budgets })).status).toBe(200)
const report = async (agent: Running) =>
	(await owner<BudgetReport>(`/v1/deployments/${agent.id}/budgets`, 'GET')).body
const asked = (model: string) => models.requests.filter(({ body }) => body.model === model).length
const warnings = (agent: Running) =>
	withSql(one, async (sql) => {
		const rows = await sql`
			select j.entries from journal j join runs r on r.id = j.run_id where r.deployment_id = ${agent.id}`
		return rows
			.flatMap(({ entries }) => JSON.parse(entries) as { type: string; data: { threshold: number } }[])
			.filter(({ type }) => type === 'budget.warning')
			.map(({ data }) => data)
	})
/** What one call reserves, seen while it is under way. */
async function reservedBy(agent: Running): Promise<number> {
	await setBudget(agent, { tokens_per_month: 1_000_000 })
	const { id } = (await run(one, agent, {}, { prefer: 'respond-async' })).body
	const reserved = await until(async () => (await report(agent)).deployment?.reserved.tokens)
	await until(async () => {
		const { body } = await one.call<Run>(`${agent.url}/runs/${id}`, { token: agent.run_key })
		return body.completed_at
	})
	return reserved
}

describe('a budget of tokens', () => {
	// Proves: budget.never-exceeded, budget.warnings
	test('that fits five of twenty runs at once on two hosts is not exceeded, and each threshold is told once', async () => {
		const agent = await made('brief')
		const reservation = await reservedBy(agent)
		expect(reservation).toBeGreaterThan(cost)
		await setBudget(agent, null)
		// The first run is counted in: five more fit, and what is then left does not cover a sixth.
		const limit = 5 * cost + reservation + 50
		await setBudget(agent, { tokens_per_month: limit })
		const before = asked('brief')
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, i) => {
				const host = i % 2 ? two : one
				return run(host, at(agent, host))
			}),
		)
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
		const refused = answers.filter(({ status }) => status === 402)
		expect(refused).toHaveLength(15)
		expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['budget_reached']))
		expect(asked('brief') - before).toBe(5)
		const { deployment } = await report(agent)
		expect(deployment?.used.tokens).toBe(6 * cost)
		expect(deployment?.used.tokens).toBeLessThanOrEqual(limit)
		expect(deployment?.reserved).toEqual({ tokens: 0, usd: 0 })
		expect((await warnings(agent)).map(({ threshold }) => threshold).sort((a, b) => a - b)).toEqual([
			50, 80, 100,
		])
	})

	// Proves: budget.last-call-bounded
	test('bounds the last call to what is left, and refuses the next run before anything is spent', async () => {
		const agent = await made('slow')
		const reservation = await reservedBy(agent)
		// 40 of the 100 output tokens are left beside the input.
		await setBudget(agent, { tokens_per_month: cost + reservation - 60 })
		const last = await run(one, agent)
		expect([last.status, last.body.code]).toEqual([402, 'budget_reached'])
		await setBudget(agent, { tokens_per_month: cost })
		const before = asked('slow')
		const refused = await run(two, at(agent, two))
		expect([refused.status, refused.body.code, refused.body.run]).toEqual([402, 'budget_reached', undefined])
		expect(asked('slow')).toBe(before)
		const runs = await one.call<{ data: Run[] }>(`${agent.url}/runs`, { token: agent.run_key })
		expect(runs.body.data).toHaveLength(2)
		await setBudget(agent, null)
		expect((await run(one, agent)).status).toBe(200)
	})

	// Proves: budget.cancelled-counts
	test('is used up by calls that are cancelled, too, and then tells it', async () => {
		const agent = await made('endless')
		await setBudget(agent, { tokens_per_month: 2_500 })
		const statuses: number[] = []
		for (const last = () => statuses.at(-1); last() !== 402 && statuses.length < 10; ) {
			const before = asked('endless')
			const begun = await run(one, agent, {}, { prefer: 'respond-async' })
			const { id } = begun.body
			const over = async () =>
				(await one.call<Run>(`${agent.url}/runs/${id}`, { token: agent.run_key })).body.completed_at !== null
			await until(async () => asked('endless') > before || (await over()))
			const call = { method: 'POST', token: agent.run_key }
			const { body } = await one.call<Run>(`${agent.url}/runs/${id}/cancel`, call)
			statuses.push(body.error?.code === 'budget_reached' ? 402 : 200)
		}
		expect(statuses.at(-1)).toBe(402)
		expect(statuses.length).toBeGreaterThan(2)
		expect((await warnings(agent)).at(-1)?.threshold).toBe(100)
	})

	// Proves: budget.key-lineage
	test('of a run key is shared with its successor, and is nobody else’s', async () => {
		const agent = await made('m')
		const keys = `/v1/deployments/${agent.id}/keys`
		const key = (await owner<IssuedKey>(keys, 'POST', { budgets: { tokens_per_month: cost } })).body
		expect(key.budgets).toEqual({ tokens_per_month: cost })
		expect((await run(one, agent, {}, {}, key.run_key)).body.code).toBe('budget_reached')
		expect((await run(one, agent)).status).toBe(200)
		await owner(`${keys}/${key.id}`, 'PATCH', { budgets: { tokens_per_month: 5 * cost } })
		expect((await run(one, agent, {}, {}, key.run_key)).status).toBe(200)
		const next = (await owner<IssuedKey>(`${keys}/${key.id}/rotate`, 'POST', {})).body
		expect(next.budgets).toEqual({ tokens_per_month: 5 * cost })
		expect((await run(two, at(agent, two), {}, {}, next.run_key)).status).toBe(200)
		expect((await report(agent)).keys).toMatchObject([{ lineage: key.id, used: { tokens: 2 * cost } }])
		await owner(`${keys}/${next.id}`, 'PATCH', { budgets: { tokens_per_month: cost } })
		expect((await run(one, agent, {}, {}, key.run_key)).body.code).toBe('budget_reached')
	})

	test('counts a call once that is made again after the runtime was killed', async () => {
		const agent = await made('slow')
		await setBudget(agent, { tokens_per_month: 1_000_000 })
		const answer = run(one, agent)
		await until(async () => (await report(agent)).deployment?.reserved.tokens)
		const runtime = one
			.processes()
			.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('runtime.mjs'))
		process.kill(runtime ?? 0, 'SIGKILL')
		expect((await answer).status).toBe(200)
		expect((await report(agent)).deployment).toMatchObject({
			used: { tokens: cost },
			reserved: { tokens: 0 },
		})
	})

	// Proves: budget.cancelled-counts, budget.reservations-return
	test('gets back what a cancelled call had reserved beyond what it was sent, and what a dead host had', async () => {
		const agent = await made('endless')
		await setBudget(agent, { tokens_per_month: 1_000_000 })
		const reserved = async () => (await report(agent)).deployment?.reserved.tokens ?? -1
		const before = asked('endless')
		const { id } = (await run(one, agent, {}, { prefer: 'respond-async' })).body
		// Reserved before it is sent: a call that was not sent costs nothing.
		await until(async () => asked('endless') > before)
		await one.call(`${agent.url}/runs/${id}/cancel`, { method: 'POST', token: agent.run_key })
		await until(async () => (await reserved()) === 0)
		// Its provider has charged for what it was sent: about a token for four bytes.
		const used = (await report(agent)).deployment?.used.tokens ?? 0
		expect(used).toBeGreaterThanOrEqual(prompt.length / 4)
		expect(used).toBeLessThan(prompt.length / 2)
		// As a host leaves it that was killed: of a run that has ended, and older than any settling takes.
		const other = (await run(two, at(agent, two), {}, { prefer: 'respond-async' })).body.id
		await until(async () => (await reserved()) > 0)
		await withSql(one, async (sql) => {
			await sql`update runs set status = 'failed', epoch = epoch + 1 where id = ${other}`
			await sql`update budget_reservations set created_at = now() - interval '1 minute' where run_id = ${other}`
		})
		await until(async () => (await reserved()) === 0)
	})
})

describe('a price that an operator sets', () => {
	// Proves: budget.operator-price
	test('counts from the next call on, on every host, without a restart', async () => {
		const agent = await made('priced')
		const usd = async (host: TestHost) => ((await run(host, at(agent, host))).body.usage as Run['usage'])?.usd
		expect(await usd(one)).toBe(null)
		const put = await one.call('/v1/admin/prices', {
			method: 'PUT',
			token: one.operator,
			json: { provider: 'openai', model: 'priced', input: 2, output: 10 },
		})
		const stored = {
			provider: 'openai',
			model: 'priced',
			input: 2,
			cached: 2,
			write: 2,
			output: 10,
			own: true,
		}
		expect([put.status, put.body]).toEqual([200, { ...stored, search: null }])
		const searching = await one.call('/v1/admin/prices', {
			method: 'PUT',
			token: one.operator,
			json: { provider: 'openai', model: 'priced', input: 2, output: 10, search: 5 },
		})
		expect(searching.body).toEqual({ ...stored, search: 5 })
		expect(await usd(one)).toBe(0.003)
		await until(async () => (await usd(two)) === 0.003)
		const runtime = one.processes().length
		expect(runtime).toBeGreaterThan(1)
		const gone = await one.call('/v1/admin/prices?provider=openai&model=priced', {
			method: 'DELETE',
			token: one.operator,
		})
		expect(gone.status).toBe(204)
		expect(await usd(one)).toBe(null)
		expect((await one.call('/v1/admin/prices', { token: account.token })).status).toBe(403)
	})

	// Proves: budget.unknown-cost
	test('is not known before: nor is what a run, a month or its webhook has cost', async () => {
		const agent = await made('m')
		await setBudget(agent, { tokens_per_month: 1_000_000 })
		expect((await report(agent)).deployment?.used).toEqual({ tokens: 0, usd: 0 })
		const hook = { url: 'http://127.0.0.1:1/hook', events: ['run.completed'] }
		expect((await owner(`/v1/deployments/${agent.id}/endpoints`, 'POST', hook)).status).toBe(201)
		const { id, usage } = (await run(one, agent)).body
		expect(usage).toMatchObject({ model_calls: 1, usd: null })
		expect((await report(agent)).deployment?.used).toEqual({ tokens: cost, usd: null })
		await setBudget(agent, null)
		await setBudget(agent, { tokens_per_month: 1_000_000 })
		expect((await report(agent)).deployment?.used).toEqual({ tokens: cost, usd: null })
		const [delivery] = await withSql(
			one,
			(sql) => sql`select body::text as text from deliveries where run_id = ${id}`,
		)
		expect(delivery?.text).toMatch(/"usd": ?null/)
	})

	// Proves: budget.price-needed
	test('makes a budget in dollars possible for a model that has none', async () => {
		const agent = await made('priced')
		await setBudget(agent, { usd_per_month: 0.01 })
		const unknown = await run(one, agent)
		expect([unknown.status, unknown.body.code]).toEqual([402, 'budget_reached'])
		expect(unknown.text).toMatch(/price of this model, or of the service_tier asked for, is not known/)
		const json = { provider: 'openai', model: 'priced', input: 1, output: 10 }
		await one.call('/v1/admin/prices', { method: 'PUT', token: one.operator, json })
		const statuses: number[] = []
		for (let i = 0; i < 8; i++) statuses.push((await run(one, agent)).status)
		const { deployment } = await report(agent)
		expect(statuses[0]).toBe(200)
		expect(statuses.at(-1)).toBe(402)
		expect(deployment?.used.usd).toBeLessThanOrEqual(0.01)
		expect(deployment?.used.usd).toBeCloseTo(0.002 * statuses.filter((status) => status === 200).length, 6)
	})
})
