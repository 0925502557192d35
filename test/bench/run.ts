/**
 * A warm `/run` against the bare program, round by round in turn, with the same scripted servers: latency, runs per
 * second, and CPU over all processes of each side. Then cold starts and memory.
 */
import { Pool } from 'undici'
import { benchAgent } from './agent.ts'
import { type Berth, type Deployed, program, startBerth } from './berth.ts'
import { type Load, load, quantile, together } from './load.ts'
import { cpuSeconds, memoryBytes, pss, tree } from './processes.ts'

interface Point {
	callers: number
	deployments: number
	modelMs: 0 | 300
}
interface Measured {
	load: Load
	cpu: number
}

const ROUNDS = 5
/** Of a deployment, so that V8 has compiled in its process what runs often, as it has in the bare program's. */
const WARM_RUNS = 100
const points: Point[] = [0, 300].flatMap((modelMs) =>
	[1, 32, 200].flatMap((callers) =>
		[1, 50].map((deployments) => ({ callers, deployments, modelMs: modelMs as 0 | 300 })),
	),
)

export async function benchRuns(quick: boolean): Promise<void> {
	const usage = { input: 200, output: 20 }
	const turns = (delayMs: number) => [
		{ calls: [{ name: 'echo', input: { text: 'hello' } }], delayMs, usage },
		{ text: 'It said hello.', delayMs, usage },
	]
	const model = program('test/kit/model-server.ts', [JSON.stringify({ m0: turns(0), m300: turns(300) })], {})
	const mcp = program('test/kit/mcp-server.ts', [], {})
	const address = (line: string) =>
		line.startsWith('{') ? (JSON.parse(line) as { url: string }).url : undefined
	const [modelUrl, mcpUrl] = await Promise.all([model.line(address), mcp.line(address)])
	const allow = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
	const bare = program('test/bench/bare.ts', [], { MODEL_URL: modelUrl, MCP_URL: mcpUrl })
	const berth = await startBerth({ EGRESS_ALLOW: allow })
	try {
		await bare.line((line) => (line.includes('ready') ? true : undefined))
		const deployed: Record<string, Deployed[]> = {}
		for (const name of ['m0', 'm300']) {
			const bundle = await benchAgent({ modelUrl, mcpUrl, model: name, idempotent: true })
			deployed[name] = []
			for (let n = 0; n < (quick ? 2 : 50); n++)
				deployed[name].push(await berth.deploy(`${name}-${n}`, bundle))
		}
		console.log(
			'\n| model | callers | deployments | p50 ms: berth, bare, ratio | p99 ms: berth, bare, ratio | runs/s: berth, bare | CPU s per 1,000 runs: berth, bare, ratio |',
		)
		console.log('|-|-|-|-|-|-|-|')
		for (const point of points) {
			const all = deployed[`m${point.modelMs}`] ?? []
			if (point.deployments > all.length) continue
			await compare(point, berth, all.slice(0, point.deployments), bare, quick)
		}
		await colds(berth, deployed.m0?.[0] as Deployed)
	} finally {
		await Promise.allSettled([berth.close(), bare.stop(), model.stop(), mcp.stop()])
	}
}

async function compare(
	point: Point,
	berth: Berth,
	targets: Deployed[],
	bare: ReturnType<typeof program>,
	quick: boolean,
): Promise<void> {
	// A run takes 0.6 s and more where the model takes 300 ms: fewer of them say as much.
	const slow = point.modelMs > 0
	const rounds = quick || slow ? 2 : ROUNDS
	const calls = slow ? Math.max(point.callers * 3, 10) : Math.max(point.callers * 12, 1200)
	const seconds = 30
	const berths: Measured[] = []
	const bares: Measured[] = []
	await callBerth(berth, targets, {
		...point,
		calls: slow ? 2 * Math.max(point.callers, targets.length) : WARM_RUNS * targets.length,
		seconds,
	})
	await callBare(bare, { ...point, calls: slow ? point.callers : WARM_RUNS, seconds })
	for (let round = 0; round < rounds; round++) {
		berths.push(await callBerth(berth, targets, { ...point, calls, seconds }))
		bares.push(await callBare(bare, { ...point, calls, seconds }))
	}
	const a = summary(berths)
	const b = summary(bares)
	const three = (x: number, y: number) => `${x.toFixed(1)}, ${y.toFixed(1)}, **${(x / y).toFixed(2)}**`
	console.log(
		`| ${point.modelMs} ms | ${point.callers} | ${point.deployments} | ${three(a.p50, b.p50)} | ${three(a.p99, b.p99)} | ${a.rate.toFixed(0)}, ${b.rate.toFixed(0)} | ${three(a.cpu, b.cpu)} |`,
	)
}

async function callBerth(
	berth: Berth,
	targets: Deployed[],
	a: { callers: number; calls: number; seconds: number },
): Promise<Measured> {
	const pool = new Pool(berth.url, { connections: a.callers, pipelining: 1 })
	const before = cpuSeconds(berth.host.pid)
	const seen = await load(a.callers, a.calls, a.seconds, async (n) => {
		const target = targets[n % targets.length] as Deployed
		const answer = await pool.request({
			method: 'POST',
			path: new URL(target.runUrl).pathname,
			headers: { authorization: `Bearer ${target.runKey}`, 'content-type': 'application/json' },
			body: `{"inputs":{"question":"Question ${n}"}}`,
		})
		const text = await answer.body.text()
		if (answer.statusCode !== 200 || !text.includes('It said hello.'))
			throw new Error(`a run failed: ${answer.statusCode} ${text}`)
	})
	const cpu = cpuSeconds(berth.host.pid) - before
	await pool.close()
	return { load: seen, cpu }
}

async function callBare(
	bare: ReturnType<typeof program>,
	a: Point & { calls: number; seconds: number },
): Promise<Measured> {
	const answer = bare.line((line) =>
		line.startsWith('{') ? (JSON.parse(line) as Load & { cpu: number }) : undefined,
	)
	bare.child.stdin?.write(
		`${JSON.stringify({ model: `m${a.modelMs}`, callers: a.callers, calls: a.calls, seconds: a.seconds })}\n`,
	)
	const { cpu, ...seen } = await answer
	return { load: seen, cpu }
}

function summary(rounds: Measured[]) {
	const all = together(rounds.map((r) => r.load))
	const cpu = rounds.reduce((sum, r) => sum + r.cpu, 0)
	return {
		p50: quantile(all.latencies, 0.5),
		p99: quantile(all.latencies, 0.99),
		rate: all.calls / all.seconds,
		cpu: (cpu / all.calls) * 1000,
	}
}

/** The first run after the sandbox is gone, after the host has just started; and the memory of idle things. */
async function colds(berth: Berth, target: Deployed): Promise<void> {
	const once = async (url: string) => {
		const began = performance.now()
		const answer = await fetch(new URL(new URL(target.runUrl).pathname, url), {
			method: 'POST',
			headers: { authorization: `Bearer ${target.runKey}`, 'content-type': 'application/json' },
			body: '{"inputs":{"question":"cold"}}',
		})
		if (answer.status !== 200) throw new Error(`a cold run failed: ${await answer.text()}`)
		await answer.text()
		return performance.now() - began
	}
	const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
	const again = await berth.again()
	Object.assign(berth, again)
	const first = await once(again.url)
	console.log(
		`\nHost start to listening: ${again.startMs.toFixed(0)} ms; first run after it: ${first.toFixed(0)} ms`,
	)
	console.log(
		`Memory after it (proportional set size): all ${tree(again.host.pid).length} processes ${mb(memoryBytes(again.host.pid))}, of which the host ${mb(pss(again.host.pid))}`,
	)
}
