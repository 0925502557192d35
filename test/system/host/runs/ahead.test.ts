import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// What may happen of a run while its row is not there yet. A lock on its deployment's row holds the insert up.

/** As the product sees a run of the deployment: host/runs/live/ahead.ts. */
const FRESH_MS = 1_000
/** In which what must not happen would have. */
const QUIET_MS = 300
/** And what must, on most machines. */
const PATIENT_MS = 1_000

let models: ModelServer
let mcp: McpServer
let host: TestHost
let account: TestAccount
let agent: Running

beforeAll(async () => {
	models = await startModelServer({
		m: [{ calls: [{ id: 'c', name: 'echo', input: { text: 'hello' } }] }, { text: 'It said hello.' }],
	})
	mcp = await startMcpServer()
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	agent = await make()
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), mcp?.close()])
})

async function make(): Promise<Running> {
	const model = `{ provider: openai, name: m, api: chat, base_url: "${models.openaiUrl}" }`
	const server = `{ connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [echo] }`
	const marked = `tools: { "${mcp.url}/echo": { idempotent: true } }`
	return deploy(host, account, await bundleOf({ model, yaml: `requires: [${server}]\n${marked}\n` }))
}

const quiet = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const seen = () => [models.requests.length, mcp.calls.length]

interface Held {
	answer: Awaited<ReturnType<typeof run>>
	/** Calls of the model and of the tool while nothing was stored, and of the run altogether. */
	meanwhile: number[]
	altogether: number[]
}

/** One run, whose insert waits. `change`: what is made of its deployment before it goes on, if the model was asked. */
async function heldUp(
	{ id }: Running,
	call: () => ReturnType<typeof run>,
	quietMs = QUIET_MS,
	change?: string,
): Promise<Held> {
	return withSql(host, async (sql) => {
		const before = seen()
		const since = () => seen().map((n, i) => n - before[i]!)
		let answer: ReturnType<typeof run> | undefined
		const meanwhile = await sql.begin(async (tx) => {
			await tx`select 1 from deployments where id = ${id} for update`
			answer = call()
			await quiet(quietMs)
			const found = since()
			if (change && found[0]) await tx.unsafe(change, [id])
			return found
		})
		return { answer: await answer!, meanwhile: meanwhile as number[], altogether: since() }
	})
}

/** With a run of the deployment stored just before: again where the machine took more than a second until the next. */
async function afterAnother(which: Running, change?: string): Promise<Held> {
	return until(async () => {
		await run(host, which)
		const held = await heldUp(which, () => run(host, which), PATIENT_MS, change)
		return held.meanwhile[0] ? held : undefined
	})
}

/** Of the runs that are stored. */
const statuses = (id: string) =>
	withSql(host, async (sql) => {
		const rows = await sql<{ status: string }[]>`select distinct status from runs where deployment_id = ${id}`
		return rows.map(({ status }) => status)
	})

// Proves: run.model-ahead
test('the model is asked while a run is stored, and nothing else happens before', async () => {
	const { answer, meanwhile, altogether } = await afterAnother(agent)
	expect(answer.body.status).toBe('succeeded')
	expect(meanwhile).toEqual([1, 0])
	expect(altogether).toEqual([2, 1])
})

// Proves: run.model-ahead
test('the first run after a while, one with a key and one with a budget ask nothing before they are stored', async () => {
	await run(host, agent)
	await quiet(FRESH_MS)
	const late = await heldUp(agent, () => run(host, agent))
	expect([late.meanwhile, late.answer.body.status]).toEqual([[0, 0], 'succeeded'])

	await run(host, agent)
	const keyed = () => run(host, agent, {}, { 'idempotency-key': 'once' })
	expect((await heldUp(agent, keyed)).meanwhile).toEqual([0, 0])

	const budgeted = await make()
	const budgets = { budgets: { tokens_per_month: 1_000_000 } }
	const { token } = account
	await host.call(`/v1/deployments/${budgeted.id}`, { method: 'PATCH', token, json: budgets })
	await run(host, budgeted)
	const counted = await heldUp(budgeted, () => run(host, budgeted))
	expect([counted.meanwhile, counted.answer.body.status]).toEqual([[0, 0], 'succeeded'])
})

// Proves: run.model-ahead
test('a run that was refused after all is nowhere, and calls no tool', async () => {
	const stopped = await make()
	const change = "update deployments set state = 'stopped', rev = rev + 1 where id = $1"
	const { answer, meanwhile, altogether } = await afterAnother(stopped, change)
	expect([answer.status, answer.body.code]).toEqual([409, 'deployment_not_running'])
	expect([meanwhile, altogether]).toEqual([
		[1, 0],
		[1, 0],
	])
	expect(await statuses(stopped.id)).toEqual(['succeeded'])
})
