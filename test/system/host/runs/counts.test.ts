import { afterAll, beforeAll, expect, test } from 'vitest'
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

/** Statements of some warm runs, one after the other, that write runs or journals; sweeps and leases aside. */
async function written(agent: Running): Promise<Record<string, number>> {
	const once = async () => expect((await run(host, agent)).body.status).toBe('succeeded')
	for (let n = 0; n < 2; n++) await once()
	listening.executed.length = 0
	for (let n = 0; n < RUNS; n++) await once()
	const kinds = { accepted: 0, recorded: 0, ended: 0 }
	for (const text of listening.executed) {
		if (/insert into runs\b/.test(text)) kinds.accepted++
		else if (/insert into journal\b/.test(text))
			kinds[/set status = 'running'/.test(text) ? 'recorded' : 'ended']++
	}
	return kinds
}

// Proves: run.statements
test('a warm run whose tool is repeatable is two statements', async () => {
	expect(await written(repeatable)).toEqual({ accepted: RUNS, recorded: 0, ended: RUNS })
})

// Proves: run.statements
test('a tool that is not repeatable costs at most two more: before the call, and its result', async () => {
	const { accepted, recorded, ended } = await written(asIs)
	expect({ accepted, ended }).toEqual({ accepted: RUNS, ended: RUNS })
	expect(recorded).toBeGreaterThanOrEqual(RUNS)
	expect(recorded).toBeLessThanOrEqual(2 * RUNS)
})
