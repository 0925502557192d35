/** From a cold start to the first answer of an agent, with the whole tree of processes on one core. Aim: 1.2 s. */
import { benchAgent } from './agent.ts'
import { type Berth, startBerth } from './berth.ts'
import { quantile } from './load.ts'
import { cpuByPart, memoryBytes, type Part } from './processes.ts'
import { startServers } from './servers.ts'

const STARTS = 7

interface Seen {
	listening: number
	answered: number
	cpu: Record<Part, number>
	memoryMb: number
}

export async function benchStart(quick: boolean): Promise<void> {
	const servers = startServers()
	const { modelUrl, mcpUrl } = await servers.urls()
	const EGRESS_ALLOW = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
	let berth = await startBerth({ EGRESS_ALLOW }, undefined, '', '0')
	try {
		const { runUrl, runKey } = await berth.deploy(
			'start',
			await benchAgent({ modelUrl, mcpUrl, model: 'm0', idempotent: false, api: 'chat' }),
		)
		const seen: Seen[] = []
		for (let n = 0; n < (quick ? 3 : STARTS); n++) {
			berth = await berth.again()
			seen.push(await firstAnswer(berth, new URL(runUrl).pathname, runKey))
		}
		const middle = (pick: (one: Seen) => number) => quantile(seen.map(pick), 0.5)
		const parts = (['host', 'runtime', 'sandboxes', 'database'] as const).map(
			(part) => `${part} ${middle(({ cpu }) => cpu[part]).toFixed(2)}`,
		)
		console.log(`\nStart on one core, median of ${seen.length} starts on a database that is there:`)
		console.log(`  listening after ${middle(({ listening }) => listening).toFixed(0)} ms`)
		console.log(`  first answer after ${middle(({ answered }) => answered).toFixed(0)} ms (aim 1200)`)
		console.log(`  CPU until then: ${middle(({ cpu }) => sum(cpu)).toFixed(2)} s (${parts.join(', ')})`)
		console.log(`  memory then: ${middle(({ memoryMb }) => memoryMb).toFixed(0)} MB`)
	} finally {
		await Promise.allSettled([berth.close(), servers.model.stop(), servers.mcp.stop()])
	}
}

async function firstAnswer({ url, host, startMs }: Berth, path: string, runKey: string): Promise<Seen> {
	const began = performance.now()
	const answer = await fetch(new URL(path, url), {
		method: 'POST',
		headers: { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ inputs: { question: 'Hello?' } }),
	})
	const text = await answer.text()
	if (answer.status !== 200) throw new Error(`run: ${answer.status} ${text}`)
	const answered = startMs + performance.now() - began
	const memoryMb = memoryBytes(host.pid) / 1e6
	return { listening: startMs, answered, cpu: cpuByPart(host.pid), memoryMb }
}

const sum = (cpu: Record<Part, number>) => Object.values(cpu).reduce((all, one) => all + one, 0)
