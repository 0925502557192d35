/**
 * Whether a host that has run for long stays as it is: a million old runs, half of them expired and deleted meanwhile, a
 * steady ten runs a second and a list a second. A row each minute; flat is good.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { benchAgent } from './agent.ts'
import { type Berth, type Deployed, startBerth } from './berth.ts'
import { databaseOf } from './database.ts'
import { quantile } from './load.ts'
import { fillPast } from './past.ts'
import { memoryByPart } from './processes.ts'
import { startServers } from './servers.ts'

const DEPLOYMENTS = 20
const RUNS_A_SECOND = 10
const PATIENCE_MS = 30_000

interface Minute {
	runs: number[]
	lists: number[]
	failed: string[]
}

export async function benchSoak(quick: boolean): Promise<void> {
	const minutes = quick ? 2 : 30
	const servers = startServers()
	const { model, mcp } = servers
	let berth: Berth | undefined
	let sql: postgres.Sql | undefined
	try {
		const { modelUrl, mcpUrl } = await servers.urls()
		const env = { EGRESS_ALLOW: [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',') }
		const first = await startBerth(env)
		berth = first
		const bundle = await benchAgent({ modelUrl, mcpUrl, api: 'chat', idempotent: false, model: 'm0' })
		const deployed: Deployed[] = []
		for (let n = 0; n < DEPLOYMENTS; n++) deployed.push(await first.deploy(`soak-${n}`, bundle))
		sql = databaseOf(first)
		await fillPast(sql, deployed, { runs: quick ? 20_000 : 1_000_000, days: 60 })
		await sql.end()
		// A host looks for what has expired when it starts, and each hour.
		berth = await first.again()
		sql = databaseOf(berth)
		console.log(
			'\n| minute | runs | failed | p50 ms | p99 ms | lists p99 ms | host MB | runtime | sandboxes | database | connections | runs kept | dead rows | tables MB |',
		)
		console.log('|-|-|-|-|-|-|-|-|-|-|-|-|-|-|')
		for (let minute = 1; minute <= minutes; minute++)
			console.log(`| ${minute} | ${await measured(berth, sql, await pace(berth, deployed))} |`)
	} finally {
		await sql?.end()
		await berth?.close()
		await Promise.allSettled([model.stop(), mcp.stop()])
	}
}

/** For a minute. Calls begin by the clock, however long others take, and all of them are waited for. */
async function pace({ url, client }: Berth, deployed: Deployed[]): Promise<Minute> {
	const seen: Minute = { runs: [], lists: [], failed: [] }
	const timed = async (to: number[], call: () => Promise<unknown>) => {
		const began = performance.now()
		await call().catch((error: Error) => seen.failed.push(error.message))
		to.push(performance.now() - began)
	}
	const under: Promise<void>[] = []
	const begun = performance.now()
	for (let n = 0; n < 60 * RUNS_A_SECOND; n++) {
		const { runUrl, runKey, id } = deployed[n % deployed.length] as Deployed
		under.push(timed(seen.runs, () => callRun(url, runUrl, runKey)))
		if (n % RUNS_A_SECOND === 0)
			under.push(timed(seen.lists, () => client.runs.all(listings[n % listings.length]?.(id) ?? {})))
		await sleep(Math.max(0, begun + ((n + 1) * 1000) / RUNS_A_SECOND - performance.now()))
	}
	await Promise.all(under)
	for (const reason of new Set(seen.failed)) console.error(reason)
	return seen
}

const listings = [
	(deployment: string) => ({ deployment }),
	() => ({ status: 'failed' }),
	(deployment: string) => ({ status: 'failed', deployment }),
	() => ({}),
]

async function callRun(base: string, runUrl: string, runKey: string): Promise<void> {
	const answer = await fetch(new URL(new URL(runUrl).pathname, base), {
		method: 'POST',
		headers: { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' },
		body: '{"inputs":{"question":"What does it say?"}}',
		signal: AbortSignal.timeout(PATIENCE_MS),
	})
	const text = await answer.text()
	if (answer.status !== 200 || !text.includes('It said hello.'))
		throw new Error(`a run failed: ${answer.status} ${text}`)
}

async function measured(berth: Berth, sql: postgres.Sql, seen: Minute): Promise<string> {
	const memory = Object.values(memoryByPart(berth.host.pid)).map((bytes) => (bytes / 1e6).toFixed(0))
	const [row] = await sql<{ connections: number; kept: number; dead: number; mb: number }[]>`
		select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
			(select count(*)::int from runs) as kept,
			(select sum(n_dead_tup)::int from pg_stat_user_tables) as dead,
			(select sum(pg_total_relation_size(relid))::float8 / 1e6 from pg_stat_user_tables) as mb`
	const at = (values: number[], q: number) => quantile(values, q).toFixed(1)
	return [
		seen.runs.length,
		seen.failed.length,
		at(seen.runs, 0.5),
		at(seen.runs, 0.99),
		at(seen.lists, 0.99),
		...memory,
		row?.connections,
		row?.kept,
		row?.dead,
		row?.mb.toFixed(0),
	].join(' | ')
}
