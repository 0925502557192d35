/** Those that are measured in turn: this checkout and others, the bare program, and peers from npm. Each has the same servers. */
import { Pool } from 'undici'
import { benchAgent } from '../agent.ts'
import { type Deployed, type Program, program, startBerth } from '../berth.ts'
import { databaseOf } from '../database.ts'
import { type Load, load, quantile } from '../load.ts'
import { cpuByPart, cpuSeconds, memoryBytes, type Part } from '../processes.ts'
import { kinds, type Row } from './rows.ts'

export interface Servers {
	modelUrl: string
	mcpUrl: string
}

/** Of one round; CPU in seconds and WAL in bytes for 1,000 runs. */
export interface Measured {
	p50: number
	p99: number
	perSecond: number
	cpu: number
	memoryMb: number
	parts?: Record<Part, number>
	wal?: number
}

export interface Side {
	name: string
	/** What has to be known of it to compare. */
	says: string
	takes(row: Row): boolean
	measure(row: Row, calls: number): Promise<Measured>
	close(): Promise<void>
}

const SECONDS = 60
const parts: Part[] = ['host', 'runtime', 'sandboxes', 'database']

export async function berthSide(
	name: string,
	checkout: string,
	{ modelUrl, mcpUrl }: Servers,
	cpus: string | undefined,
): Promise<Side> {
	const allow = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
	const berth = await startBerth({ EGRESS_ALLOW: allow }, undefined, checkout, cpus)
	const sql = databaseOf(berth)
	const deployed = new Map<string, Deployed>()
	const deploy = async (kind: Row['kind'], n: number) => {
		const key = `${kind}-${n}`
		const known = deployed.get(key)
		if (known) return known
		const { says: _, ...agent } = kinds[kind]
		const one = await berth.deploy(key, await benchAgent({ modelUrl, mcpUrl, ...agent }))
		deployed.set(key, one)
		return one
	}
	const position = async () => {
		const [row] = await sql<{ at: string }[]>`select (pg_current_wal_insert_lsn() - '0/0')::text as at`
		return Number(row?.at)
	}
	return {
		name,
		says: 'journal, isolation, HTTP in front',
		takes: () => true,
		async measure({ kind, callers, deployments }, calls) {
			const targets: Deployed[] = []
			for (let n = 0; n < deployments; n++) targets.push(await deploy(kind, n))
			const pool = new Pool(berth.url, { connections: callers, pipelining: 1 })
			const [before, wal] = [cpuByPart(berth.host.pid), await position()]
			const seen = await load(callers, calls, SECONDS, (n) => runOf(pool, targets[n % deployments]!, n))
			const after = cpuByPart(berth.host.pid)
			const written = (await position()) - wal
			await pool.close()
			const each = Object.fromEntries(
				parts.map((part) => [part, ((after[part] - before[part]) / seen.calls) * 1000]),
			) as Record<Part, number>
			const cpu = parts.reduce((sum, part) => sum + each[part], 0)
			const memoryMb = memoryBytes(berth.host.pid) / 1e6
			return { ...shape(seen), cpu, memoryMb, parts: each, wal: written / seen.calls }
		},
		async close() {
			await sql.end()
			await berth.close()
		},
	}
}

const runOf = (pool: Pool, { runUrl, runKey }: Deployed, n: number) =>
	post(
		pool,
		new URL(runUrl).pathname,
		{ authorization: `Bearer ${runKey}` },
		{ inputs: { question: `Question ${n}` } },
	)

async function post(pool: Pool, path: string, headers: Record<string, string>, body: object): Promise<void> {
	const answer = await pool.request({
		method: 'POST',
		path,
		headers: { ...headers, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	})
	const text = await answer.body.text()
	if (answer.statusCode !== 200 || !text.includes('It said hello.'))
		throw new Error(`a run failed: ${answer.statusCode} ${text}`)
}

/** A program that is told on a line what to measure, as `bare.ts` is, or that names an address. It has one agent, whatever the row says. */
export async function programSide(
	{ name, says, takes }: Pick<Side, 'name' | 'says' | 'takes'>,
	started: Program,
): Promise<Side> {
	const { url, pid = started.pid } = await started.line((line) =>
		line.includes('"ready"') ? (JSON.parse(line) as { url?: string; pid?: number }) : undefined,
	)
	return {
		name,
		says,
		takes,
		async measure({ kind, callers }, calls) {
			const { api, model } = kinds[kind]
			const before = cpuSeconds(pid)
			const command = { api, model, callers, calls, seconds: SECONDS }
			const seen = await (url === undefined ? told(started, command) : called(url, command))
			const cpu = ((cpuSeconds(pid) - before) / seen.calls) * 1000
			return { ...shape(seen), cpu, memoryMb: memoryBytes(pid) / 1e6 }
		},
		close: () => started.stop(),
	}
}

type Command = { model: string; callers: number; calls: number; seconds: number }

function told({ line, child }: Program, command: Command): Promise<Load> {
	const answer = line((text) => (text.startsWith('{') ? (JSON.parse(text) as Load) : undefined))
	child.stdin?.write(`${JSON.stringify(command)}\n`)
	return answer
}

/** From this process, as Berth is called: the callers are no part of a side. */
async function called(url: string, { model, callers, calls, seconds }: Command): Promise<Load> {
	const { origin, pathname } = new URL(url)
	const pool = new Pool(origin, { connections: callers, pipelining: 1 })
	const path = decodeURI(pathname)
	const seen = await load(callers, calls, seconds, (n, caller) =>
		post(pool, path.replace('{caller}', String(caller)), {}, { model, question: `Question ${n}` }),
	)
	await pool.close()
	return seen
}

export const bareSide = ({ modelUrl, mcpUrl }: Servers, cpus: string | undefined) =>
	programSide(
		{ name: 'bare SDKs', says: 'connections kept, no HTTP in front, writes nothing', takes: () => true },
		program('test/bench/bare.ts', [], { MODEL_URL: modelUrl, MCP_URL: mcpUrl }, cpus),
	)

const shape = ({ latencies, calls, seconds }: Load) => ({
	p50: quantile(latencies, 0.5),
	p99: quantile(latencies, 0.99),
	perSecond: calls / seconds,
})
