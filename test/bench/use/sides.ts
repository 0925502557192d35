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

async function runOf(pool: Pool, { runUrl, runKey }: Deployed, n: number): Promise<void> {
	const answer = await pool.request({
		method: 'POST',
		path: new URL(runUrl).pathname,
		headers: { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' },
		body: `{"inputs":{"question":"Question ${n}"}}`,
	})
	const text = await answer.body.text()
	if (answer.statusCode !== 200 || !text.includes('It said hello.'))
		throw new Error(`a run failed: ${answer.statusCode} ${text}`)
}

/** A program that is told on a line what to measure, as `bare.ts` is. It has one agent, whatever the row says. */
export async function programSide(
	{ name, says, takes }: Pick<Side, 'name' | 'says' | 'takes'>,
	started: Program,
): Promise<Side> {
	await started.line((line) => (line.includes('ready') ? true : undefined))
	return {
		name,
		says,
		takes,
		async measure({ kind, callers }, calls) {
			const { api, model } = kinds[kind]
			const before = cpuSeconds(started.pid)
			const answer = started.line((line) => (line.startsWith('{') ? (JSON.parse(line) as Load) : undefined))
			const command = { api, model, callers, calls, seconds: SECONDS }
			started.child.stdin?.write(`${JSON.stringify(command)}\n`)
			const seen = await answer
			const cpu = ((cpuSeconds(started.pid) - before) / seen.calls) * 1000
			return { ...shape(seen), cpu, memoryMb: memoryBytes(started.pid) / 1e6 }
		},
		close: () => started.stop(),
	}
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
