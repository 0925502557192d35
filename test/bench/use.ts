/**
 * A run as users have it: default settings, a tool that nobody marked as repeatable, the chat interface, two streamed
 * model calls and one MCP call. CPU by process, memory after the load, and what is written. `--against DIR`: another
 * checkout that has been built, in turn with this one.
 */
import type postgres from 'postgres'
import { Pool } from 'undici'
import { benchAgent } from './agent.ts'
import { type Berth, type Deployed, type Program, program, startBerth } from './berth.ts'
import { databaseOf } from './database.ts'
import { type Load, load, quantile, together } from './load.ts'
import { cpuByPart, memoryByPart, type Part } from './processes.ts'

interface Point {
	callers: number
	deployments: 1 | 50
	kind: Kind
}
/** `noted`: a tool without annotation, so each call is written down before it is made. `code`: the agent has an `agent.ts`. */
type Kind = 'noted' | 'repeatable' | 'code' | 'slow'

const kinds: Record<Kind, { says: string; idempotent: boolean; program?: string; model: string }> = {
	noted: { says: 'tool as it is', idempotent: false, model: 'm0' },
	repeatable: { says: 'tool marked idempotent', idempotent: true, model: 'm0' },
	code: {
		says: 'with an agent.ts',
		idempotent: false,
		program: "import { agent } from 'berth'\nexport default agent((_, ctx) => ctx.loop())\n",
		model: 'm0',
	},
	slow: { says: 'model takes 300 ms', idempotent: false, model: 'm300' },
}
const points: Point[] = [
	{ callers: 1, deployments: 1, kind: 'noted' },
	{ callers: 32, deployments: 1, kind: 'noted' },
	{ callers: 200, deployments: 1, kind: 'noted' },
	{ callers: 200, deployments: 1, kind: 'slow' },
	{ callers: 32, deployments: 1, kind: 'repeatable' },
	{ callers: 32, deployments: 1, kind: 'code' },
	{ callers: 32, deployments: 50, kind: 'noted' },
]
const ROUNDS = 3
const CALLS = 400
const SECONDS = 60
const parts: Part[] = ['host', 'runtime', 'sandboxes', 'database']

interface Side {
	name: string
	berth: Berth
	deployed: Record<Kind, Deployed[]>
	sql: postgres.Sql
}
interface Measured {
	load: Load
	cpu: Record<Part, number>
	wal: number
}

export async function benchUse(quick: boolean, against: string | undefined): Promise<void> {
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
	const bare = program('test/bench/bare.ts', [], { MODEL_URL: modelUrl, MCP_URL: mcpUrl })
	const sides: Side[] = []
	try {
		await bare.line((line) => (line.includes('ready') ? true : undefined))
		const at = { modelUrl, mcpUrl, most: quick ? 1 : 50 }
		for (const checkout of against === undefined ? [''] : ['', against])
			sides.push(await startSide(checkout, at))
		console.log(
			'\n| agent | callers | deployments | side | p50 ms | p99 ms | runs/s | CPU s per 1,000 runs | host | runtime | sandboxes | database | MB after | WAL bytes a run |',
		)
		console.log('|-|-|-|-|-|-|-|-|-|-|-|-|-|-|')
		for (const point of points) if (point.deployments === 1 || !quick) await compare(point, sides, bare)
	} finally {
		for (const { sql, berth } of sides) {
			await sql.end()
			await berth.close()
		}
		await Promise.allSettled([bare.stop(), model.stop(), mcp.stop()])
	}
}

async function startSide(
	checkout: string,
	{ modelUrl, mcpUrl, most }: { modelUrl: string; mcpUrl: string; most: number },
): Promise<Side> {
	const allow = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
	const berth = await startBerth({ EGRESS_ALLOW: allow }, undefined, checkout)
	const deployed: Record<Kind, Deployed[]> = { noted: [], repeatable: [], code: [], slow: [] }
	for (const [kind, { says: _, ...agent }] of Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][]) {
		const bundle = await benchAgent({ modelUrl, mcpUrl, api: 'chat', ...agent })
		for (let n = 0; n < (kind === 'noted' ? most : 1); n++)
			deployed[kind].push(await berth.deploy(`${kind}-${n}`, bundle))
	}
	return { name: checkout === '' ? 'berth' : checkout, berth, deployed, sql: databaseOf(berth) }
}

async function compare(point: Point, sides: Side[], bare: Program): Promise<void> {
	const { callers, deployments, kind } = point
	const calls = Math.max(CALLS, callers * 2, deployments * 10)
	const rounds = sides.map((): Measured[] => [])
	const bares: { load: Load; cpu: number }[] = []
	for (const side of sides) await callBerth(side, point, Math.max(callers, deployments * 2))
	await callBare(bare, point, callers)
	for (let round = 0; round < ROUNDS; round++) {
		for (const [n, side] of sides.entries()) rounds[n]?.push(await callBerth(side, point, calls))
		bares.push(await callBare(bare, point, calls))
	}
	const label = `| ${kinds[kind].says} | ${callers} | ${deployments} |`
	for (const [n, side] of sides.entries()) {
		const all = together((rounds[n] ?? []).map((one) => one.load))
		const each = (pick: (one: Measured) => number) =>
			(rounds[n] ?? []).reduce((sum, one) => sum + pick(one), 0) / all.calls
		const cpu = parts.map((part) => each((one) => one.cpu[part]) * 1000)
		const memory = Object.values(memoryByPart(side.berth.host.pid)).reduce((a, b) => a + b) / 1e6
		console.log(
			`${label} ${side.name} | ${shown(all)} | ${[cpu.reduce((a, b) => a + b), ...cpu].map((s) => s.toFixed(2)).join(' | ')} | ${memory.toFixed(0)} | ${each((one) => one.wal).toFixed(0)} |`,
		)
	}
	const all = together(bares.map((one) => one.load))
	const cpu = (bares.reduce((sum, one) => sum + one.cpu, 0) / all.calls) * 1000
	console.log(`${label} bare SDKs | ${shown(all)} | ${cpu.toFixed(2)} | | | | | | |`)
}

function shown(all: Load): string {
	const at = (q: number) => quantile(all.latencies, q).toFixed(1)
	return `${at(0.5)} | ${at(0.99)} | ${(all.calls / all.seconds).toFixed(0)}`
}

async function callBerth(
	side: Side,
	{ callers, deployments, kind }: Point,
	calls: number,
): Promise<Measured> {
	const { berth, sql } = side
	const targets = side.deployed[kind].slice(0, deployments)
	const pool = new Pool(berth.url, { connections: callers, pipelining: 1 })
	const position = async () => {
		const [row] = await sql<{ at: string }[]>`select (pg_current_wal_insert_lsn() - '0/0')::text as at`
		return Number(row?.at)
	}
	const [before, wal] = [cpuByPart(berth.host.pid), await position()]
	const seen = await load(callers, calls, SECONDS, async (n) => {
		const { runUrl, runKey } = targets[n % targets.length] as Deployed
		const answer = await pool.request({
			method: 'POST',
			path: new URL(runUrl).pathname,
			headers: { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' },
			body: `{"inputs":{"question":"Question ${n}"}}`,
		})
		const text = await answer.body.text()
		if (answer.statusCode !== 200 || !text.includes('It said hello.'))
			throw new Error(`a run failed: ${answer.statusCode} ${text}`)
	})
	const after = cpuByPart(berth.host.pid)
	const cpu = Object.fromEntries(parts.map((part) => [part, after[part] - before[part]])) as Measured['cpu']
	const written = (await position()) - wal
	await pool.close()
	return { load: seen, cpu, wal: written }
}

async function callBare(
	bare: Program,
	{ callers, kind }: Point,
	calls: number,
): Promise<{ load: Load; cpu: number }> {
	const answer = bare.line((line) =>
		line.startsWith('{') ? (JSON.parse(line) as Load & { cpu: number }) : undefined,
	)
	const command = { api: 'chat', model: kinds[kind].model, callers, calls, seconds: SECONDS }
	bare.child.stdin?.write(`${JSON.stringify(command)}\n`)
	const { cpu, ...seen } = await answer
	return { load: seen, cpu }
}
