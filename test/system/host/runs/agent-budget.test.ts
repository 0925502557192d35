import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { put } from '../connect/agent.ts'

// Three agents in a row, each called by the one above, over real HTTP: the limits of the first bound all.

let host: TestHost
let models: ModelServer
let mcp: McpServer
let account: TestAccount
/** `calls` model calls of 100 tokens each; a call that fails ends its run. */
let leaf: Running
/** One model call, then `leaf`. */
let mid: Running
/** One model call, then `mid`, under limits of its own. */
let top: Running
let rich: Running
/** What the foreign server was told beside the arguments. */
const metas: unknown[] = []

/** Of one call, as the script makes it: 20 in, and out what the bound allows, up to 80. */
const CALL = 100
const OVER = 5000
const PRICE = { input: 10, output: 10 }
const callUsd = (CALL * 10) / 1e6

beforeAll(async () => {
	models = await startModelServer({
		priced: ({ body }) => ({
			text: 'x',
			usage: { input: 20, output: Math.min(80, Number(body.max_output_tokens ?? 80)) },
		}),
		// Says that it used more than it was allowed.
		over: { text: 'x', usage: { input: 20, output: OVER - 20 } },
		waits: ({ count }) => ({
			text: 'x',
			usage: { input: 20, output: 80 },
			delayMs: count === 0 ? 0 : 60_000,
		}),
		slow: ({ count }) => ({
			text: 'x',
			usage: { input: 20, output: 80 },
			delayMs: count === 0 ? 60_000 : 0,
		}),
	})
	mcp = await startMcpServer({
		tools: [
			{
				name: 'foreign',
				run: (_, asking) => {
					metas.push(asking._meta)
					return { content: [{ type: 'text', text: 'ok' }], _meta: { 'berth/spent': { tokens: 9, usd: 9 } } }
				},
			},
		],
	})
	host = await startHost({
		egressAllow: ['127.0.0.1'],
		env: { HOST_LEASE_SECONDS: '3', SHUTDOWN_SECONDS: '1' },
	})
	account = await host.account({ plan: 'team' })
	for (const model of ['priced', 'over']) {
		const priced = await host.call('/v1/admin/prices', {
			method: 'PUT',
			token: host.operator,
			json: { provider: 'openai', model, ...PRICE },
		})
		expect(priced.status).toBe(200)
	}
	leaf = await made(
		'leaf',
		'',
		`for (let i = 0; i < inputs.calls; i++) await ctx.model('Think.', inputs.slow ? { model: { name: 'slow' } } : inputs.wait ? { model: { name: 'waits' } } : inputs.over ? { model: { name: 'over' } } : {})
		return 'done'`,
	)
	const below = (name: string) => `return JSON.stringify(await ctx.tools.call('${name}', inputs))`
	mid = await made('mid', requires(leaf, 'leaf'), `await ctx.model('Think.'); ${below('leaf')}`)
	await connect(mid, leaf)
	const first = `if (!inputs.slow) await ctx.model('Think.'); ${below('mid')}`
	top = await made('top', `${requires(mid, 'mid')}limits: { tokens: 1000 }\n`, first)
	await connect(top, mid)
	rich = await made('rich', `${requires(mid, 'mid')}limits: { usd: ${10 * callUsd} }\n`, first)
	await connect(rich, mid)
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), mcp?.close()])
})

async function made(name: string, yaml: string, body: string): Promise<Running> {
	const model = `{ provider: openai, api: responses, name: priced, base_url: "${models.openaiUrl}" }`
	const agent = `import { agent } from 'berth'\nexport default agent(async (inputs: any, ctx) => { ${body} })\n`
	const inputs =
		'inputs: { type: object, properties: { calls: { type: integer }, slow: { type: boolean }, wait: { type: boolean }, over: { type: boolean } }, required: [calls] }\n'
	return deploy(
		host,
		account,
		await bundleOf({ model, yaml: inputs + yaml, files: { 'agent.ts': agent } }),
		name,
	)
}
const requires = (at: Running, name: string) =>
	`requires: [{ connector: "${at.url}/mcp", scopes: [], auth: bearer, kind: connector, tools: [${name}] }]\n` +
	`tools: { "${at.url}/mcp/${name}": { idempotent: true } }\n`
async function connect(caller: Running, callee: Running): Promise<void> {
	expect((await put(host, caller, account.token, { token: callee.run_key })).status).toBe(200)
}
const last = async (at: Running) =>
	(await host.call<{ data: [Run] }>(`${at.url}/runs?limit=1`, { token: at.run_key })).body.data[0]
const allowanceOf = ({ id }: Run) =>
	withSql(host, async (sql) => (await sql`select allowance, depth from runs where id = ${id}`)[0])
const tokensOf = ({ usage }: Run) => usage.input_tokens + usage.output_tokens

// Proves: agent.budget, agent.budget-lowers
test('the tokens of the first agent bound all three, and the last says whose limit it has reached', async () => {
	const { body } = await run(host, top, { calls: 50 })
	const first = body as unknown as Run
	const [second, third] = [await last(mid), await last(leaf)]
	expect(await allowanceOf(first)).toEqual({ allowance: null, depth: null })
	expect(await allowanceOf(second)).toMatchObject({
		allowance: { tokens: { left: 1000 - CALL, run: first.id } },
		depth: 1,
	})
	expect(await allowanceOf(third)).toMatchObject({
		allowance: { tokens: { left: 1000 - 2 * CALL, run: first.id } },
		depth: 2,
	})
	expect(third.error).toMatchObject({ code: 'token_limit_reached' })
	expect(third.error?.message).toContain(
		`of the ${1000 - 2 * CALL} tokens that were left to it by limits.tokens or a budget of the run above, ${first.id}`,
	)
	// The program read it: `mid` answers with the failure, `top` with that answer.
	expect(String(first.output)).toContain('token_limit_reached')
	expect(tokensOf(third)).toBeGreaterThan(700)
	expect(second.usage.agents?.tokens).toBe(tokensOf(third))
	expect(first.usage.agents?.tokens).toBe(tokensOf(second) + tokensOf(third))
	expect(tokensOf(first) + tokensOf(second) + tokensOf(third)).toBeLessThanOrEqual(1000)
	const replayed = await host.call(`/v1/runs/${first.id}/replay`, { method: 'POST', token: account.token })
	expect(replayed.body).toMatchObject({ same: true })
})

// Proves: agent.budget
test('its dollars do, too', async () => {
	const { body } = await run(host, rich, { calls: 50 })
	const first = body as unknown as Run
	const [second, third] = [await last(mid), await last(leaf)]
	expect(third.error).toMatchObject({ code: 'cost_limit_reached' })
	expect(third.error?.message).toContain(`left to it by limits.usd or a budget of the run above, ${first.id}`)
	const usd = [first, second, third].reduce((sum, { usage }) => sum + (usage.usd ?? Number.NaN), 0)
	expect(usd).toBeLessThanOrEqual(10 * callUsd)
	expect(usd).toBeGreaterThan(9 * callUsd)
	expect(first.usage.agents?.usd).toBeCloseTo((second.usage.usd ?? 0) + (third.usage.usd ?? 0), 9)
})

// Proves: agent.budget-month
test('the budget of a month bounds the agents that a deployment calls, and counts what they use', async () => {
	interface Account {
		used: { tokens: number; usd: number }
		reserved: { tokens: number; usd: number }
	}
	const caller = await made(
		'monthly',
		requires(mid, 'mid'),
		`return JSON.stringify(await ctx.tools.call('mid', inputs))`,
	)
	await connect(caller, mid)
	const set = await host.call(`/v1/deployments/${caller.id}`, {
		method: 'PATCH',
		token: account.token,
		json: { budgets: { tokens_per_month: 1000 } },
	})
	expect(set.status).toBe(200)
	const report = async () =>
		(
			await host.call<{ deployment: Account }>(`/v1/deployments/${caller.id}/budgets`, {
				token: account.token,
			})
		).body.deployment
	const first = (await run(host, caller, { calls: 50 })).body as unknown as Run
	const [second, third] = [await last(mid), await last(leaf)]
	expect(await allowanceOf(second)).toMatchObject({ allowance: { tokens: { left: 1000, run: first.id } } })
	expect(third.error?.message).toContain(
		`left to it by limits.tokens or a budget of the run above, ${first.id}`,
	)
	const used = tokensOf(second) + tokensOf(third)
	expect(used).toBeGreaterThan(800)
	expect(used).toBeLessThanOrEqual(1000)
	expect(await report()).toMatchObject({ used: { tokens: used }, reserved: { tokens: 0, usd: 0 } })
	// What is left does not cover another call of a model.
	const next = await run(host, caller, { calls: 50 })
	expect(String(next.body.output)).toContain(`a budget of the run above, ${next.body.id}`)
	expect((await report()).used.tokens).toBeLessThanOrEqual(1000)
})

// Proves: agent.budget
test.each([
	['tokens', () => top, 'token_limit_reached'],
	['dollars', () => rich, 'cost_limit_reached'],
])(
	'an agent that used more than it was left of the %s is counted in full, and ends all above it',
	async (_, caller, code) => {
		await run(host, caller(), { calls: 1, over: true })
		const [first, second, third] = [await last(caller()), await last(mid), await last(leaf)]
		expect(tokensOf(third)).toBe(OVER)
		expect(second).toMatchObject({ error: { code }, usage: { agents: { tokens: OVER } } })
		expect(first).toMatchObject({
			status: 'failed',
			error: { code },
			usage: { agents: { tokens: OVER + CALL } },
		})
		expect(first.usage.agents?.usd).toBeCloseTo(((OVER + CALL) * 10) / 1e6, 9)
		expect(first.error?.message).toContain('that is over the limit')
	},
)

// Proves: agent.budget-month
test('a budget of the month counts no more for a call than it was left', async () => {
	const caller = await made(
		'lied-to',
		requires(mid, 'mid'),
		`return JSON.stringify(await ctx.tools.call('mid', inputs))`,
	)
	await connect(caller, mid)
	const json = { budgets: { tokens_per_month: 1000 } }
	const at = `/v1/deployments/${caller.id}`
	expect((await host.call(at, { method: 'PATCH', token: account.token, json })).status).toBe(200)
	const { body } = await run(host, caller, { calls: 1, over: true })
	expect((body as unknown as Run).usage.agents?.tokens).toBe(OVER + CALL)
	const report = await host.call(`${at}/budgets`, { token: account.token })
	expect(report.body).toMatchObject({
		deployment: { used: { tokens: 1000 }, reserved: { tokens: 0, usd: 0 } },
	})
})

// Proves: agent.budget-cancelled
test('a run that is cancelled while it waits for an agent counts what that has used, and no more', async () => {
	const caller = await made(
		'impatient',
		requires(leaf, 'leaf'),
		`return JSON.stringify(await ctx.tools.call('leaf', inputs))`,
	)
	await connect(caller, leaf)
	const at = `/v1/deployments/${caller.id}`
	const json = { budgets: { tokens_per_month: 100_000 } }
	expect((await host.call(at, { method: 'PATCH', token: account.token, json })).status).toBe(200)
	const runs = models.requests.length
	const inputs = { calls: 2, wait: true }
	const { id } = (await run(host, caller, inputs, { prefer: 'respond-async' })).body
	await until(async () => models.requests.length === runs + 2)
	const cancelled = await host.call(`${caller.url}/runs/${id}/cancel`, {
		method: 'POST',
		token: caller.run_key,
	})
	expect(cancelled.body).toMatchObject({ status: 'cancelled' })
	const inner = await until(async () => {
		const found = await last(leaf)
		return found.inputs.wait === true && found.completed_at !== null && found
	})
	expect(tokensOf(inner)).toBeGreaterThanOrEqual(CALL)
	await withSql(
		host,
		(sql) => sql`update budget_reservations set created_at = created_at - interval '1 minute'`,
	)
	const report = await until(async () => {
		const { body } = await host.call<{ deployment: { reserved: { tokens: number } } }>(`${at}/budgets`, {
			token: account.token,
		})
		return body.deployment.reserved.tokens === 0 && body.deployment
	})
	expect(report).toMatchObject({ used: { tokens: tokensOf(inner) } })
})

// Proves: agent.budget
test('a chain that stays below its limits is not touched by them', async () => {
	const { body } = await run(host, top, { calls: 2 })
	expect(body.error).toBeNull()
	expect((body as unknown as Run).usage.agents).toEqual({ tokens: 3 * CALL, usd: 3 * callUsd })
})

// Proves: agent.budget-again
test('after the host was killed the call has what it was left before, and counts once', async () => {
	const { id } = (await run(host, top, { calls: 3, slow: true }, { prefer: 'respond-async' })).body
	const before = await until(async () => {
		const found = await last(leaf)
		return found?.inputs.slow === true && found.status === 'running' && found
	})
	await host.kill('SIGKILL')
	host = await host.again()
	const ended = await until(async () => {
		const { body } = await host.call<Run>(`${top.url}/runs/${id}`, { token: top.run_key })
		return body.completed_at !== null && body
	})
	expect(ended.error).toBeNull()
	expect((await last(leaf)).id).toBe(before.id)
	const [second, third] = [await last(mid), await last(leaf)]
	expect(await allowanceOf(second)).toMatchObject({ allowance: { tokens: { left: 1000, run: id } } })
	expect(ended.usage.agents?.tokens).toBe(tokensOf(second) + tokensOf(third))
	const replayed = await host.call(`/v1/runs/${id}/replay`, { method: 'POST', token: account.token })
	expect(replayed.body).toMatchObject({ same: true })
})

async function client(at: Running) {
	const made = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
	const headers = { authorization: `Bearer ${at.run_key}` }
	await made.connect(new TransportV2(new URL(`${at.url}/mcp`), { requestInit: { headers } }))
	onTestFinished(() => made.close())
	return made
}

// Proves: agent.budget-lowers
test('what any client says can lower a limit, never raise it, and what is no allowance is refused', async () => {
	const made = await client(top)
	expect(made.getServerCapabilities()?.experimental).toEqual({ 'berth/agent': {} })
	const call = (allowance: unknown) =>
		made.callTool({ name: 'top', arguments: { calls: 50 }, _meta: { 'berth/allowance': allowance } })
	const share = (left: unknown, run = 'run_00000000000000000000000000') => ({ tokens: { left, run } })
	const result = await call(share(10 ** 9))
	const { tokens } = (result._meta as { 'berth/spent': { tokens: number } })['berth/spent']
	expect(tokens).toBeGreaterThan(0)
	expect(tokens).toBeLessThanOrEqual(1000)
	for (const wrong of [share(-1), share('many'), share(1.5), share(1, 'a name'), 7, null, {}]) {
		const refused = await call(wrong)
		expect(refused).toMatchObject({
			isError: true,
			_meta: { 'berth/code': 'invalid_request', 'berth/spent': { tokens: 0, usd: 0 } },
		})
		expect(JSON.stringify(refused.content)).toContain('berth/allowance')
	}
	for (const [wrong, part] of [
		[{ usd: { left: 1, run: 'run_0' } }, '`tokens`'],
		[share(1e99), '`tokens.left`'],
		[share(1, 'a name'), '`tokens.run`'],
	] as const)
		expect(JSON.stringify((await call(wrong)).content)).toContain(part)
	const none = await call(share(0))
	expect(none).toMatchObject({ isError: true, _meta: { 'berth/spent': { tokens: 0, usd: 0 } } })
})

// Proves: agent.budget-told
test('a server that is no agent is told of no budget', async () => {
	const yaml = `requires: [{ connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [foreign] }]\n`
	const caller = await made('stranger', yaml, `await ctx.tools.call('foreign', {}); return 'done'`)
	const { body } = await run(host, caller, { calls: 0 })
	expect(body.error).toBeNull()
	expect(body.usage).not.toHaveProperty('agents')
	expect(metas).toHaveLength(1)
	expect(Object.keys(metas[0] as object)).toContain('berth/depth')
	expect(JSON.stringify(metas)).not.toContain('allowance')
})
