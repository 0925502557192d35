/** What a warm run allocates in the host, counted instead of timed, as in test/system/runtime/engine/allocations.test.ts. */
import { expect, onTestFinished, test } from 'vitest'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import { startHost, type TestHost } from '../../../kit/host.ts'
import { startMcpServer } from '../../../kit/mcp-server.ts'
import { startModelServer } from '../../../kit/model-server.ts'

const WARM_UP = 20
const RUNS = 40
/** Of 185 kB (2026-11-24), up to 22 kB more on a busy machine; less where nothing was counted. */
const LEAST = 50_000
const MOST = 260_000
/** Nothing is collected before it is counted. Code is not optimised: how much of it is would be a matter of time. */
const COUNTED = [
	...['--expose-gc', '--no-opt', '--no-maglev', '--min-semi-space-size=128', '--max-semi-space-size=128'],
	...['--import', new URL('../../../kit/heap.mjs', import.meta.url).href],
]

async function start(): Promise<{ host: TestHost; at: Running }> {
	const models = await startModelServer({
		m: [{ calls: [{ id: 'c', name: 'echo', input: { text: 'hello' } }] }, { text: 'It said hello.' }],
	})
	const mcp = await startMcpServer()
	onTestFinished(async () => void (await Promise.all([models.close(), mcp.close()])))
	const host = await startHost({ node: COUNTED, egressAllow: ['127.0.0.1'] })
	onTestFinished(() => host.close())
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	const yaml = `requires: [{ connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [echo] }]\n`
	const at = await deploy(host, await host.account({ plan: 'team' }), await bundleOf({ model, yaml }))
	return { host, at }
}

/** Bytes of the heap before and after a collection. */
async function heapOf(host: TestHost): Promise<{ used: number; kept: number }> {
	const before = host.logs().length
	process.kill(host.pid, 'SIGUSR2')
	const line = await until(async () =>
		host
			.logs()
			.slice(before)
			.find((one) => one.startsWith('{"used":')),
	)
	return JSON.parse(line)
}

// Proves: run.allocations
test('a warm run with two model calls and a tool call allocates no more in the host than it did', async () => {
	const { host, at } = await start()
	const allocated = async (runs: number, headers: Record<string, string> = {}) => {
		const { kept } = await heapOf(host)
		for (let n = 0; n < runs; n++) expect((await run(host, at, {}, headers)).body.status).toBe('succeeded')
		return ((await heapOf(host)).used - kept) / runs
	}
	await allocated(WARM_UP)
	const asItIs = await allocated(RUNS)
	expect(asItIs).toBeGreaterThan(LEAST)
	expect(asItIs).toBeLessThan(MOST)
	expect(await allocated(RUNS, { 'x-more': '3000' })).toBeGreaterThan(MOST)
})
