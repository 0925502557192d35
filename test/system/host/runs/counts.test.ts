import postgres from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { bundleOf, deploy, type Running, run } from '../../../kit/agent.ts'
import { cloneTemplate, dropDatabase, startHost, type TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Listening, listen } from '../../../kit/statements.ts'

// What a warm run costs, counted instead of timed: a statement more on its way is seen here.

const RUNS = 5
let models: ModelServer
let mcp: McpServer
let database: string
let listening: Listening
let host: TestHost
let asIs: Running
let repeatable: Running

beforeAll(async () => {
	models = await startModelServer({
		m: [{ calls: [{ id: 'c', name: 'echo', input: { text: 'hello' } }] }, { text: 'It said hello.' }],
	})
	mcp = await startMcpServer()
	database = await cloneTemplate()
	listening = await listen(database)
	host = await startHost({ database: listening.url, egressAllow: ['127.0.0.1'] })
	const account = await host.account({ plan: 'team' })
	const model = `{ provider: openai, name: m, api: chat, base_url: "${models.openaiUrl}" }`
	const yaml = `requires: [{ connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [echo] }]\n`
	asIs = await deploy(host, account, await bundleOf({ model, yaml }))
	const marked = `${yaml}tools: { "${mcp.url}/echo": { idempotent: true } }\n`
	repeatable = await deploy(host, account, await bundleOf({ model, yaml: marked }))
})
afterAll(async () => {
	await host?.close()
	await listening?.close()
	if (database) await dropDatabase(database)
	await Promise.all([models?.close(), mcp?.close()])
})

/** A run that takes longer is written down in between, so that a crash costs less: runtime/process/engine/recorder.ts. */
const QUICK_MS = 200

/** Statements that write runs or journals, of each of some warm runs that were quick. Sweeps and leases aside. */
async function written(agent: Running) {
	const found: { accepted: number; recorded: number; ended: number }[] = []
	// The first may find that the host knows an older state of the deployment, and is inserted again.
	await run(host, agent)
	while (found.length < RUNS) {
		listening.executed.length = 0
		const { status, created_at, completed_at } = (await run(host, agent)).body
		expect(status).toBe('succeeded')
		if (Date.parse(String(completed_at)) - Date.parse(String(created_at)) > QUICK_MS) continue
		const kinds = { accepted: 0, recorded: 0, ended: 0 }
		for (const text of listening.executed) {
			if (/insert into runs\b/.test(text)) kinds.accepted++
			else if (/insert into journal\b/.test(text))
				kinds[/set status = 'running'/.test(text) ? 'recorded' : 'ended']++
		}
		found.push(kinds)
	}
	return found
}

// Proves: run.statements
test('a warm run whose tool is repeatable is two statements', async () => {
	const two = { accepted: 1, recorded: 0, ended: 1 }
	expect(await written(repeatable)).toEqual(Array(RUNS).fill(two))
})

// Proves: run.statements
test('a tool that is not repeatable costs at most two more: before the call, and its result', async () => {
	for (const { accepted, recorded, ended } of await written(asIs)) {
		expect({ accepted, ended }).toEqual({ accepted: 1, ended: 1 })
		expect([1, 2]).toContain(recorded)
	}
})

// What Postgres makes of a statement in its first minute, it keeps until somebody has analyzed the table.
// Proves: run.statements
test('what a run writes finds the run by its index, in a database that is new', async () => {
	await run(host, asIs)
	const writes = [...listening.statements.values()].filter(({ text }) => /\binsert into journal\b/.test(text))
	expect(writes.length).toBeGreaterThanOrEqual(2)
	const sql = postgres({ ...parseDatabaseUrl(database), max: 1 })
	onTestFinished(() => sql.end())
	for (const { text } of writes) {
		const plan = await sql.unsafe(`explain (generic_plan) ${text}`)
		const lines = plan.map((row) => String(row['QUERY PLAN']))
		expect(lines).toContainEqual(expect.stringContaining('Index Scan using runs_pkey on runs'))
		expect(lines.filter((line) => /Seq Scan on runs\b/.test(line))).toEqual([])
	}
})
