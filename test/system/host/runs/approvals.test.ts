import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../../bundles/index.ts'
import type { Approval, ApprovalList } from '../../../../host/api/approvals.ts'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'

// Approvals: a run waits for days and holds nothing; what was agreed to is done once, on whichever host.

let models: ModelServer
let mcp: McpServer
let receiver: Receiver
let database: string
let one: TestHost
let two: TestHost
let account: TestAccount

beforeAll(async () => {
	models = await startModelServer({
		payer: [{ calls: [{ name: 'charge', input: { key: 'k1' } }] }, { text: 'Paid.' }],
		m: { text: 'Done.' },
	})
	mcp = await startMcpServer()
	receiver = await startReceiver()
	database = await cloneTemplate()
	one = await startHost(options())
	two = await startHost(options({ MASTER_KEY_FILE: join(one.dataDir, 'master.key') }))
	account = await one.account({ plan: 'team' })
})
afterAll(async () => {
	await Promise.all([one?.close(), two?.close()])
	if (database) await dropDatabase(database)
	await Promise.all([models?.close(), mcp?.close(), receiver?.close()])
})

const options = (env: Record<string, string> = {}) => ({
	database,
	egressAllow: ['127.0.0.1'],
	// The default lease: a machine that stands still for a second would have another host ask the model again.
	env: { IDLE_STOP_SECONDS: '0.2', ...env },
})
const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
const payer = async () =>
	deploy(
		one,
		account,
		await bundleOf({
			model: model('payer'),
			yaml: `requires:
  - { connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [charge] }
tools: { "${mcp.url}/charge": { approval: required } }
`,
		}),
	)
const asker = async (code: string) =>
	deploy(
		one,
		account,
		await bundleOf({
			model: model('m'),
			files: {
				'agent.ts': `import { agent } from 'berth'\nexport default agent(async (inputs: any, ctx) => { ${code} })\n`,
			},
		}),
	)
const at = (agent: Running, host: TestHost) => agent.url.replace(one.url, host.url)
const begin = async (agent: Running, host = one) =>
	(await run(host, { ...agent, url: at(agent, host) }, {}, { prefer: 'respond-async' })).body.id
const read = async (agent: Running, id: string, host = one) =>
	(await host.call<Run>(`${at(agent, host)}/runs/${id}`, { token: agent.run_key })).body
const waits = (agent: Running, id: string) => until(async () => (await read(agent, id)).status === 'waiting')
const ended = (agent: Running, id: string) =>
	until(async () => {
		const found = await read(agent, id)
		return found.completed_at !== null && found
	})
const approvals = async (agent: Running, id: string) =>
	(await one.call<ApprovalList>(`${agent.url}/runs/${id}/approvals`, { token: agent.run_key })).body.data
const decide = (agent: Running, approval: Approval, change: Record<string, unknown> = {}, host = one) =>
	host.call<Approval & { code: string }>(`${at(agent, host)}/runs/${approval.run}/approvals/${approval.id}`, {
		token: account.token,
		json: { decision: 'approve', digest: approval.digest, ...change },
	})
const types = (id: string) =>
	withSql(one, async (sql) => {
		const rows = await sql`select entries from journal where run_id = ${id} order by first_seq`
		return rows.flatMap(({ entries }) => JSON.parse(entries) as { type: string }[]).map(({ type }) => type)
	})
const sandboxes = (host: TestHost) => host.processes().filter((pid) => commandOf(pid).includes('sandbox.mjs'))
/** Empty for a process that is gone. */
const commandOf = (pid: number) => {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
	} catch {
		return ''
	}
}

describe('a tool that needs an approval', () => {
	// Proves: approval.what-was-agreed, approval.other-host, approval.digest, approval.owner-only
	test('is called once, with what was agreed to, by another host than the one that died waiting', async () => {
		const third = await startHost(options({ MASTER_KEY_FILE: join(one.dataDir, 'master.key') }))
		const agent = await payer()
		await one.call(`/v1/deployments/${agent.id}/endpoints`, {
			token: account.token,
			json: { url: receiver.url, events: ['run.waiting', 'run.completed'] },
		})
		const payers = () => models.requests.filter(({ body }) => body.model === 'payer').length
		const before = { calls: mcp.calls.length, payers: payers() }
		const id = await begin(agent, third)
		await waits(agent, id)
		await until(async () => sandboxes(third).length === 0)
		await third.kill('SIGKILL')
		const [approval] = await approvals(agent, id)
		if (!approval) throw new Error('nothing to approve')
		expect(approval).toMatchObject({ tool: 'charge', arguments: { key: 'k1' }, status: 'pending' })
		const digest = createHash('sha256').update(canonicalJson(approval.arguments)).digest('hex')
		expect(approval.digest).toBe(`sha256:${digest}`)
		expect(mcp.calls).toHaveLength(before.calls)

		const wrong = await decide(agent, approval, { digest: `sha256:${'0'.repeat(64)}` })
		expect([wrong.status, wrong.body.code]).toEqual([409, 'conflict'])
		const keyed = await one.call(`${agent.url}/runs/${id}/approvals/${approval.id}`, {
			token: agent.run_key,
			json: { decision: 'approve', digest: approval.digest },
		})
		expect(keyed.status).toBe(403)
		const decisions = await Promise.all([1, 2, 3].map(() => decide(agent, approval, { note: 'go' }, two)))
		expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409, 409])
		expect(await ended(agent, id)).toMatchObject({ status: 'succeeded', output: 'Paid.' })
		expect(mcp.calls.slice(before.calls).map(({ args }) => args)).toEqual([{ key: 'k1' }])
		expect(payers()).toBe(before.payers + 2)
		const [after] = await approvals(agent, id)
		expect(after).toMatchObject({ status: 'approved', note: 'go', decided_by: account.id })
		const told = await until(async () => receiver.received.length === 2 && receiver.received)
		expect(told.map(({ body }) => JSON.parse(body))).toMatchObject([
			{ type: 'run.waiting', data: { id, status: 'waiting', usage: { model_calls: 1 } } },
			{ type: 'run.completed', data: { id, status: 'succeeded' } },
		])
		await third.close()
	})

	// Proves: approval.denied
	test('ends its run as approval_denied where it was denied', async () => {
		const agent = await payer()
		const before = mcp.calls.length
		const waiting = run(one, agent)
		const id = await until(async () => {
			const { body } = await one.call<{ data: Run[] }>(`${agent.url}/runs?status=waiting`, {
				token: agent.run_key,
			})
			return body.data[0]?.id
		})
		const [approval] = await approvals(agent, id)
		if (!approval) throw new Error('nothing to approve')
		await decide(agent, approval, { decision: 'deny', note: 'not today' })
		const answer = await waiting
		expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
			409,
			'approval_denied',
			'The call of charge was not approved: not today',
		])
		expect(mcp.calls).toHaveLength(before)
	})
})

describe('a program that asks', () => {
	// Proves: approval.program-told
	test('is told of every decision, one after the other', async () => {
		const agent = await asker(`
			const first = await ctx.approve('First?', { amount: 3 })
			const second = await ctx.approve('Second?')
			return JSON.stringify([first, second])`)
		const id = await begin(agent)
		await waits(agent, id)
		const [first] = await approvals(agent, id)
		expect(first).toMatchObject({ tool: null, arguments: { question: 'First?', data: { amount: 3 } } })
		await decide(agent, first as Approval)
		const second = await until(async () => (await approvals(agent, id))[1])
		await decide(agent, second, { decision: 'deny', note: 'no' }, two)
		const { output } = await ended(agent, id)
		expect(JSON.parse(String(output))).toEqual([
			{ approved: true, note: null },
			{ approved: false, note: 'no' },
		])
		const late = await decide(agent, second)
		expect(late.status).toBe(409)
		expect((await types(id)).filter((type) => type.startsWith('approval.'))).toEqual([
			'approval.requested',
			'approval.decided',
			'approval.requested',
			'approval.decided',
		])
	})

	// Proves: approval.program-told
	test('several things at once goes on with each as it is decided', async () => {
		const agent = await asker(`
			const all = await Promise.all(['a', 'b', 'c'].map((q) => ctx.approve(q)))
			return all.map(({ approved }) => approved).join()`)
		const id = await begin(agent)
		await waits(agent, id)
		const all = await approvals(agent, id)
		expect(all.map(({ question }) => question)).toEqual(['a', 'b', 'c'])
		await Promise.all(all.map((one, i) => decide(agent, one, { decision: i === 1 ? 'deny' : 'approve' })))
		expect((await ended(agent, id)).output).toBe('true,false,true')
	})
})

describe('a waiting run', () => {
	// Proves: approval.cancelled
	test('is cancelled with its event, by any host, and its approval is withdrawn', async () => {
		const agent = await asker(`await ctx.approve('Well?')`)
		const id = await begin(agent)
		await waits(agent, id)
		const live = await one.call<{ data: { id: string; status: string }[] }>('/v1/runs', {
			token: account.token,
		})
		expect(live.body.data.find((one) => one.id === id)?.status).toBe('waiting')
		const cancelled = await two.call<Run>(`${at(agent, two)}/runs/${id}/cancel`, {
			method: 'POST',
			token: agent.run_key,
		})
		expect(cancelled.body).toMatchObject({ status: 'cancelled' })
		const [approval] = await approvals(agent, id)
		expect(approval?.status).toBe('withdrawn')
		expect((await decide(agent, approval as Approval)).status).toBe(409)
		expect((await types(id)).at(-1)).toBe('run.cancelled')
	})

	// Proves: approval.cancelled
	test('whose host died while it cancelled it is cancelled by another', async () => {
		const agent = await asker(`await ctx.approve('Well?')`)
		const id = await begin(agent)
		await waits(agent, id)
		await withSql(
			one,
			(sql) => sql`
				update runs set host_id = 'a host that is gone', epoch = epoch + 1, cancel_requested_at = now() where id = ${id}`,
		)
		expect(await ended(agent, id)).toMatchObject({ status: 'cancelled' })
		expect((await types(id)).at(-1)).toBe('run.cancelled')
	})

	// Proves: approval.deployment-stops
	test('of a deployment that stops ends as cancelled', async () => {
		const agent = await asker(`await ctx.approve('Well?')`)
		const id = await begin(agent)
		await waits(agent, id)
		const stopped = await one.call(`/v1/deployments/${agent.id}/stop`, {
			token: account.token,
			json: { drain_seconds: 10 },
		})
		expect(stopped.body).toMatchObject({ in_flight: [{ run: id, status: 'waiting' }], cancelled: [id] })
	})
})
