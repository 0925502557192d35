import { join } from 'node:path'
import { type CallToolResult, inputRequired } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval, ApprovalList } from '../../../../host/api/approvals.ts'
import type { Run } from '../../../../host/api/runs.ts'
import type { ToolLock } from '../../../../host/api/tools.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type McpServer, type ScriptedTool, startMcpServer } from '../../../kit/mcp-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'

// A connector that asks in the middle of a call: its question waits for the owner like an approval.

let modern: McpServer
let older: McpServer
let receiver: Receiver
let database: string
let one: TestHost
let account: TestAccount

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })
const said = (value: unknown) => text(JSON.stringify(value))
const where = {
	method: 'elicitation/create' as const,
	params: {
		mode: 'form' as const,
		message: 'Where shall the table be?',
		requestedSchema: {
			type: 'object' as const,
			properties: {
				city: { type: 'string' as const, minLength: 2 },
				seats: { type: 'integer' as const, minimum: 1, default: 2 },
			},
			required: ['city'],
		},
	},
}
const sure = {
	method: 'elicitation/create' as const,
	params: {
		mode: 'form' as const,
		message: 'Sure?',
		requestedSchema: { type: 'object' as const, properties: {} },
	},
}
const visit = {
	method: 'elicitation/create' as const,
	params: { mode: 'url' as const, message: 'Pay there', url: 'https://example.com/pay', elicitationId: 'e1' },
}
const sampling = {
	method: 'sampling/createMessage' as const,
	params: { messages: [], maxTokens: 1 },
}

const modernTools: ScriptedTool[] = [
	{
		name: 'book',
		description: 'Asks where and for the address of a payment, then whether that is right',
		run: (_, { inputResponses, requestState }) => {
			const state = requestState<string>()
			if (!state) return inputRequired({ inputRequests: { where, visit }, requestState: 'hidden state' })
			const { where: before } = JSON.parse(state === 'hidden state' ? '{}' : state)
			if (before) return said({ where: before, sure: inputResponses?.sure })
			return inputRequired({ inputRequests: { sure }, requestState: JSON.stringify(inputResponses) })
		},
	},
	{
		name: 'think',
		description: 'Asks for a model',
		run: () => inputRequired({ inputRequests: { where, model: sampling } }),
	},
]
const olderTools: ScriptedTool[] = [
	{
		name: 'ask',
		description: 'Asks while its call is open',
		run: async (_, { send }) => said(await send(where)),
	},
	{
		name: 'think',
		description: 'Asks for a model',
		run: async (_, { send }) => said(await send(sampling).catch((error) => error.message)),
	},
	{
		name: 'slow',
		description: 'Works as a task alone',
		execution: { taskSupport: 'required' },
		run: () => text('done'),
	},
]

beforeAll(async () => {
	modern = await startMcpServer({ tools: modernTools })
	older = await startMcpServer({ era: 'session', tools: olderTools })
	receiver = await startReceiver()
	database = await cloneTemplate()
	one = await startHost(options())
	account = await one.account({ plan: 'team' })
})
afterAll(async () => {
	await one?.close()
	if (database) await dropDatabase(database)
	await Promise.all([modern?.close(), older?.close(), receiver?.close()])
})

const options = (env: Record<string, string> = {}) => ({
	database,
	egressAllow: ['127.0.0.1'],
	env: { HOST_LEASE_SECONDS: '3', IDLE_STOP_SECONDS: '0.2', ...env },
})
const another = (env: Record<string, string> = {}) =>
	startHost(options({ MASTER_KEY_FILE: join(one.dataDir, 'master.key'), ...env }))

/** Its program calls one tool and returns what it got. */
const caller = async ({ url }: McpServer, tool: string) =>
	deploy(
		one,
		account,
		await bundleOf({
			yaml: `requires:
  - { connector: "${url}", scopes: [], auth: none, kind: connector, tools: [${tool}] }
`,
			files: {
				'agent.ts': `import { agent } from 'berth'
export default agent(async (_: any, ctx) => JSON.stringify(await ctx.tools.call('${tool}', { n: 1 })))
`,
			},
		}),
	)
const at = (agent: Running, host: TestHost) => agent.url.replace(one.url, host.url)
const begin = async (agent: Running, host = one) =>
	(await run(host, { ...agent, url: at(agent, host) }, {}, { prefer: 'respond-async' })).body.id
const read = async (agent: Running, id: string) =>
	(await one.call<Run>(`${agent.url}/runs/${id}`, { token: agent.run_key })).body
const waits = (agent: Running, id: string) => until(async () => (await read(agent, id)).status === 'waiting')
const outputOf = async (agent: Running, id: string) => {
	const ended = await until(async () => {
		const found = await read(agent, id)
		return found.completed_at !== null && found
	})
	expect(ended.error).toBeNull()
	return JSON.parse(String(ended.output)) as { ok: boolean; output: string }
}
const approvals = async (agent: Running, id: string) =>
	(await one.call<ApprovalList>(`${agent.url}/runs/${id}/approvals`, { token: agent.run_key })).body.data
const pending = async (agent: Running, id: string) => {
	const open = async () => (await approvals(agent, id)).filter(({ status }) => status === 'pending')
	return until(async () => {
		const found = await open()
		return found.length > 0 && found
	})
}
const decide = (agent: Running, approval: Approval | undefined, change: Record<string, unknown> = {}) =>
	one.call<Approval & { code: string; detail: string; errors: { path: string; message: string }[] }>(
		`${agent.url}/runs/${approval?.run}/approvals/${approval?.id}`,
		{ token: account.token, json: { decision: 'approve', digest: approval?.digest, ...change } },
	)
const events = (id: string) =>
	withSql(one, async (sql) => {
		const rows = await sql`select entries from journal where run_id = ${id} order by first_seq`
		return rows.flatMap(
			({ entries }) => JSON.parse(entries) as { type: string; data: Record<string, unknown> }[],
		)
	})

// Proves: connector.asks-parked, connector.asks-fit
describe('a question of a 2026-07-28 server', () => {
	test('parks the run, is answered with content over a restart, and may be followed by another', async () => {
		const first = await another()
		const agent = await caller(modern, 'book')
		const id = await begin(agent, first)
		await waits(agent, id)
		await first.kill('SIGKILL')
		const [asked, pay] = await pending(agent, id)
		expect(asked).toMatchObject({
			kind: 'question',
			question: 'Where shall the table be?',
			tool: 'book',
			connector: modern.url,
			schema: { properties: { city: { type: 'string' } }, required: ['city'] },
			url: null,
		})
		expect(pay).toMatchObject({
			kind: 'question',
			question: 'Pay there',
			url: 'https://example.com/pay',
			schema: null,
		})

		const unfit = await decide(agent, asked, { content: { city: 'X', seats: 'two' } })
		expect([unfit.status, unfit.body.code]).toEqual([422, 'inputs_invalid'])
		expect(unfit.body.errors.map(({ path }) => path).sort()).toEqual(['/content/city', '/content/seats'])
		expect((await decide(agent, asked)).body.errors).toMatchObject([{ path: '/content/city' }])
		expect((await decide(agent, pay, { content: { city: 'Rome' } })).status).toBe(422)
		expect((await decide(agent, asked, { decision: 'deny', content: {} })).status).toBe(422)

		// The second one first: the order is the owner's.
		expect((await decide(agent, pay)).status).toBe(200)
		const answered = await decide(agent, asked, { content: { city: 'Rome' }, note: 'for two' })
		const content = { city: 'Rome', seats: 2 }
		expect(answered.body).toMatchObject({ status: 'approved', content, note: 'for two' })
		const [again] = await pending(agent, id)
		expect(again).toMatchObject({ question: 'Sure?', kind: 'question' })
		expect((await decide(agent, again, { decision: 'deny' })).status).toBe(200)

		const { ok, output } = await outputOf(agent, id)
		const told = { where: { action: 'accept', content }, sure: { action: 'decline' } }
		expect([ok, JSON.parse(output)]).toEqual([true, told])
		const journal = await events(id)
		const decided = journal.filter(({ type }) => type === 'approval.decided').map(({ data }) => data)
		expect(decided).toMatchObject([
			{ decision: 'approve', content },
			{ decision: 'approve' },
			{ decision: 'deny' },
		])
		expect(new Set(decided.map((one) => one.id)).size).toBe(3)
		expect(journal.filter(({ type }) => type === 'tool.started')).toHaveLength(3)
		expect(modern.calls.filter(({ tool }) => tool === 'book').map(({ args }) => args)).toEqual(
			Array.from({ length: 3 }, () => ({ n: 1 })),
		)
		const stream = await one.call<{ data: object[] }>(`${agent.url}/runs/${id}/events`, {
			token: agent.run_key,
		})
		expect(JSON.stringify(stream)).not.toContain('hidden state')
		await first.close()
	})

	test('for a model is a failed result', async () => {
		const agent = await caller(modern, 'think')
		const { ok, output } = await outputOf(agent, await begin(agent))
		expect([ok, output]).toEqual([false, expect.stringMatching(/sampling\/createMessage/)])
	})
})

// Proves: connector.asks-while-open
describe('a question of an older server', () => {
	test('shows that the run waits, is told to a webhook, and is answered while the call is open', async () => {
		const agent = await caller(older, 'ask')
		await one.call(`/v1/deployments/${agent.id}/endpoints`, {
			token: account.token,
			json: { url: receiver.url, events: ['run.waiting'] },
		})
		const id = await begin(agent)
		await waits(agent, id)
		const told = await until(async () => receiver.received.length > 0 && receiver.received)
		expect(told.map(({ body }) => JSON.parse(body))).toMatchObject([{ type: 'run.waiting', data: { id } }])
		const [asked] = await pending(agent, id)
		expect(asked).toMatchObject({ kind: 'question', question: 'Where shall the table be?' })
		const env = { BERTH_URL: one.url, BERTH_TOKEN: account.token }
		const shown = await berth(['approvals', id], { env })
		expect(shown.stdout).toContain('Where shall the table be?')
		expect(shown.stdout).toContain('field      city (string, required)')
		expect(shown.stdout).toContain('field      seats (integer, default 2)')
		const answer = ['approve', id, String(asked?.id), '--content']
		expect((await berth([...answer, 'Oslo'], { env })).code).toBe(2)
		const wrong = await berth([...answer, '{"seats": 3}'], { env })
		expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('/content/city')])
		const done = await berth([...answer, '{"city": "Oslo", "seats": 3}'], { env })
		expect([done.code, done.stdout]).toEqual([
			0,
			expect.stringContaining('content    {"city":"Oslo","seats":3}'),
		])
		const { ok, output } = await outputOf(agent, id)
		const told2 = { action: 'accept', content: { city: 'Oslo', seats: 3 } }
		expect([ok, JSON.parse(output)]).toEqual([true, told2])
	})

	test('that nobody answers in time makes a failed result, and is withdrawn', async () => {
		const short = await another({ CONNECTOR_QUESTION_SECONDS: '1' })
		const agent = await caller(older, 'ask')
		const id = await begin(agent, short)
		const [asked] = await pending(agent, id)
		const { ok, output } = await outputOf(agent, id)
		expect([ok, output]).toEqual([
			false,
			'ask asked its owner a question, and nobody answered in time. It ended with: {"action":"cancel"}',
		])
		expect((await approvals(agent, id)).map(({ status }) => status)).toEqual(['withdrawn'])
		expect((await decide(agent, asked, { content: { city: 'Oslo' } })).status).toBe(409)
		await short.close()
	})

	test('whose host dies is lost with its call, which is a failed result and not unknown', async () => {
		const first = await another()
		const agent = await caller(older, 'ask')
		const before = older.calls.length
		const id = await begin(agent, first)
		await waits(agent, id)
		await first.kill('SIGKILL')
		const { ok, output } = await outputOf(agent, id)
		expect([ok, output]).toEqual([false, expect.stringMatching(/Berth stopped before anybody answered/)])
		expect(older.calls).toHaveLength(before + 1)
		await first.close()
	})

	test('is refused where it is for a model, and its run is cancelled at once', async () => {
		const thinker = await caller(older, 'think')
		const { output } = await outputOf(thinker, await begin(thinker))
		expect(output).toMatch(/not support sampling|Method not found/i)
		const agent = await caller(older, 'ask')
		const id = await begin(agent)
		await waits(agent, id)
		const { body } = await one.call<Run>(`${agent.url}/runs/${id}/cancel`, {
			method: 'POST',
			token: agent.run_key,
		})
		expect(body.status).toBe('cancelled')
		// Of whatever is wrong with a late answer, this comes first.
		const [asked] = await approvals(agent, id)
		expect(await decide(agent, asked)).toMatchObject({ status: 409, body: { detail: 'The run has ended.' } })
	})
})

// Proves: connector.tasks
test('a tool that works as a task alone is told when tools are locked, and is not called', async () => {
	const agent = await caller(older, 'slow')
	const { body } = await one.call<{ data: ToolLock[] }>(`/v1/deployments/${agent.id}/tools`, {
		token: account.token,
	})
	expect(body.data).toMatchObject([
		{ tool: 'slow', state: 'locked', warning: expect.stringMatching(/MCP tasks/) },
	])
	const { ok, output } = await outputOf(agent, await begin(agent))
	expect([ok, output]).toEqual([false, expect.stringMatching(/MCP tasks.*It was not called/)])
	expect(older.calls.filter(({ tool }) => tool === 'slow')).toEqual([])
})
