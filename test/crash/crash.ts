import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import postgres from 'postgres'
import { type Embedded, startEmbedded } from '../../host/db/index.ts'
import { type Deployed, deployAll } from './agents.ts'
import { type Caller, callOnce, keepCalling } from './callers.ts'
import { checkAll } from './check.ts'
import { type Kill, killAll, planOf } from './kills.ts'
import { type KeptHost, keepHost, leftOver } from './processes.ts'
import { startWorld, type World } from './world.ts'

export interface Options {
	kills: number
	seed: number
	inFlight: number
	log(line: string): void
}

export interface Report {
	runs: number
	kills: Kill[]
	succeeded: number
	outcomeUnknown: number
	/** Starts of a run beyond its first. */
	resumed: number
	/** Model requests beyond one a call. */
	askedAgain: number
	webhooks: number
	seconds: number
	/** Everything that should not be; empty where all guarantees held. */
	violations: string[]
	/** What the hosts said last. */
	logs: string[]
}

const leaseSeconds = 2
const slots = 150
const settleMs = 60_000
const restartsPerMinute = 60

/** Two hosts on one database of ours, callers at both, and SIGKILL for every part of it. */
export async function crash({ kills, seed, inFlight, log }: Options): Promise<Report> {
	const began = Date.now()
	const since = () => Math.round((Date.now() - began) / 1000)
	const dir = mkdtempSync(join(tmpdir(), 'berth-crash-'))
	const silent = pino({ level: 'silent' })
	const onLost = (error: Error) => log(`the database was lost: ${error.message}`)
	const database = await startEmbedded({ dataDir: dir, log: silent, onLost, restartsPerMinute })
	const world = await startWorld()
	const hosts: KeptHost[] = []
	const sql = postgres({ ...database.connection, max: 2, onnotice: () => undefined })
	try {
		await startHosts(dir, database, hosts)
		const operator = readFileSync(join(dir, 'one', 'operator.token'), 'utf8').trim()
		const deployed = await deployAll((hosts[0] as KeptHost).url, operator, world)
		log(`${inFlight} runs in flight over ${deployed.length} deployments, ${kills} kills, seed ${seed}`)
		let over = false
		const calling = keepCalling(inFlight, deployed, hosts, () => over)
		const killed = await killAll(planOf(seed, kills), hosts, database, log).finally(() => {
			over = true
		})
		const callers = await calling
		log(`${callers.length} runs were called, and answered after ${since()} s`)
		await Promise.all(hosts.map((host) => host.ready()))
		await webhooksSettled(sql)
		log(`their webhooks were settled after ${since()} s`)
		const checked = await checkAll({ callers, kills: killed, deployed, world, sql })
		const violations = [...checked.violations, ...(await fullHouse(deployed, hosts))]
		await Promise.all(hosts.map((host) => host.stop()))
		violations.push(...(await leftOver()).map((line) => `a process outlived its host: ${line}`))
		const logs = hosts.flatMap(({ lines }) => lines)
		const seconds = (Date.now() - began) / 1000
		return { ...checked, runs: callers.length, kills: killed, violations, logs, seconds }
	} finally {
		await tearDown({ hosts, sql, world, database, dir })
	}
}

async function startHosts(dir: string, database: Embedded, hosts: KeptHost[]): Promise<void> {
	const env = {
		DATABASE_URL: `postgres://app@/postgres?host=${database.connection.host}`,
		MASTER_KEY_FILE: join(dir, 'master.key'),
		EGRESS_ALLOW: '127.0.0.1',
		HOST_LEASE_SECONDS: String(leaseSeconds),
		MAX_CONCURRENT_RUNS: String(slots),
		SHUTDOWN_SECONDS: '2',
		WARM_SPARES: '1',
		WEBHOOK_RETRY_SECONDS: '0.5,1,2,4,8',
		WEBHOOK_TIMEOUT_SECONDS: '2',
	}
	for (const name of ['one', 'two']) {
		const host = await keepHost(join(dir, name), env)
		hosts.push(host)
		await host.ready()
	}
}

/** Until no delivery is due any more. */
async function webhooksSettled(sql: postgres.Sql): Promise<void> {
	for (const end = Date.now() + settleMs; Date.now() < end; await sleep(200)) {
		const [row] = await sql`select count(*)::int as due from deliveries where next_attempt_at is not null`
		if (row?.due === 0) return
	}
}

/** No slot is leaked: each host still takes as many runs at once as it did. */
async function fullHouse(deployed: Deployed[], hosts: KeptHost[]): Promise<string[]> {
	const calls = hosts.flatMap((host) =>
		Array.from({ length: slots - 10 }, (_, i) => callOnce(deployed[i % deployed.length] as Deployed, [host])),
	)
	const answered: Caller[] = await Promise.all(calls)
	const without = answered.filter(({ answer, refused }) => answer?.status !== 'succeeded' || refused > 0)
	return without.length === 0 ? [] : [`${without.length} of ${answered.length} runs found no room afterwards`]
}

async function tearDown(a: {
	hosts: KeptHost[]
	sql: postgres.Sql
	world: World
	database: Embedded
	dir: string
}): Promise<void> {
	await Promise.allSettled(a.hosts.map((host) => host.stop()))
	await Promise.allSettled([a.sql.end({ timeout: 1 }), a.world.close()])
	await a.database.stop()
	rmSync(a.dir, { recursive: true, force: true })
}
