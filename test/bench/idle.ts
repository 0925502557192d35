/** What a deployment costs that is running and idle: processes and host memory, with none and with a thousand. */
import { benchAgent } from './agent.ts'
import { type Deployed, program, startBerth } from './berth.ts'
import { load } from './load.ts'
import { memoryBytes, pss, tree } from './processes.ts'

const CALLERS = 8

export async function benchIdle(quick: boolean): Promise<void> {
	const count = quick ? 50 : 1000
	const model = program('test/support/model-server.ts', [JSON.stringify({ m: { text: 'Hello' } })], {})
	const mcp = program('test/support/mcp-server.ts', [], {})
	const address = (line: string) =>
		line.startsWith('{') ? (JSON.parse(line) as { url: string }).url : undefined
	const [modelUrl, mcpUrl] = await Promise.all([model.line(address), mcp.line(address)])
	const allow = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
	const berth = await startBerth({ EGRESS_ALLOW: allow, NODE_OPTIONS: '--max-semi-space-size=1' })
	try {
		const bundle = await benchAgent({ modelUrl, mcpUrl, model: 'm', idempotent: true })
		// The host's own growth to its working size is not the deployments': the first ones are not counted.
		for (let n = 0; n < 25; n++) await berth.deploy(`warm-${n}`, bundle)
		const before = await settled(berth.host.pid)
		const deployed: Deployed[] = []
		await load(CALLERS, count, 600, async (n) => {
			deployed.push(await berth.deploy(`idle-${n}`, bundle))
		})
		const after = await settled(berth.host.pid)
		console.log(`\nIdle deployments: ${deployed.length} more, running, none called`)
		console.log(`Processes: ${before.processes} before, ${after.processes} after`)
		console.log(
			`Host memory (proportional set size): ${mb(before.host)} before, ${mb(after.host)} after: ${((after.host - before.host) / 1024 / deployed.length).toFixed(1)} KiB a deployment`,
		)
		console.log(`All processes: ${mb(before.all)} before, ${mb(after.all)} after`)
	} finally {
		await Promise.allSettled([berth.close(), model.stop(), mcp.stop()])
	}
}

/** The smallest of some looks over half a minute: V8 gives garbage of the calls before back when nothing has come for a while. */
async function settled(pid: number): Promise<{ host: number; all: number; processes: number }> {
	let host = Number.POSITIVE_INFINITY
	for (let look = 0; look < 60; look++) {
		await new Promise((resolve) => setTimeout(resolve, 500))
		host = Math.min(host, pss(pid))
	}
	return { host, all: memoryBytes(pid), processes: tree(pid).length }
}

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
