import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { type Deployed, deployAll } from './agents.ts'
import { type Caller, callOnce, keepCalling } from './callers.ts'
import { checkAll } from './check.ts'
import { type KeptDatabase, keepDatabase } from './database.ts'
import { keepDeciding } from './decide.ts'
import { type Fault, faultAll } from './faults.ts'
import { type Front, startFront } from './front.ts'
import { planOf } from './plan.ts'
import { type KeptHost, keepHost, leftOver } from './processes.ts'
import { randomFrom } from './random.ts'
import { type Kind, startWorld, type World } from './world.ts'

export interface Options {
	kills: number
	seed: number
	inFlight: number
	hosts?: number
	freezeSeconds: number
	/** What a model's answer takes at least; the longer, the fewer runs. */
	modelMs?: number
	log(line: string): void
}

export interface Report {
	runs: number
	faults: Fault[]
	succeeded: number
	outcomeUnknown: number
	/** Runs that a person said no to. */
	denied: number
	/** What explains each run that did not succeed, a person's no aside. */
	explained: string[]
	/** Sign-ins refreshed. */
	refreshed: number
	/** Times that a host could not renew its lease in time though the database was there, for want of a processor. */
	lapses: number
	/** Runs that other runs have called. */
	calledByAgents: number
	/** Starts of a run beyond its first. */
	resumed: number
	/** Model requests beyond one a call. */
	askedAgain: number
	/** After each outage of the database, until what waited for it was written. */
	caughtUpMs: number[]
	/** Answers of the model that broke off in the middle. */
	cutStreams: number
	webhooks: number
	seconds: number
	/** Everything that should not be; empty where all guarantees held. */
	violations: string[]
	/** What the hosts said last. */
	logs: string[]
}

const leaseSeconds = 2
/** A host has room for all runs in flight, and for so many more. */
const spareSlots = 20
const settleMs = 60_000
const houseTries = 3

/** Some hosts on one database of ours, callers at all of them, SIGKILL for every part of it, and whatever else befalls machines. */
export async function crash({
	kills,
	seed,
	inFlight,
	hosts: count = 2,
	freezeSeconds,
	modelMs = 600,
	log,
}: Options): Promise<Report> {
	const began = Date.now()
	const since = () => Math.round((Date.now() - began) / 1000)
	const dir = mkdtempSync(join(tmpdir(), 'berth-crash-'))
	const database = await keepDatabase(dir, log)
	const front = await startFront()
	const { hosts } = front
	const world = await startWorld(front.tokens.isValid, modelMs)
	const sql = postgres({ ...database.connection, max: 2, onnotice: () => undefined })
	try {
		const slots = inFlight + spareSlots
		await startHosts(dir, database, front, count, slots)
		const operator = readFileSync(join(dir, '1', 'operator.token'), 'utf8').trim()
		const deployed = await deployAll(front, operator, world)
		log(
			`${inFlight} runs in flight over ${deployed.length} deployments on ${count} hosts, ${kills} kills, seed ${seed}`,
		)
		const asking = deployed.find(({ kind }) => kind === 'approval') as Deployed
		let over = false
		const called = deployed.filter(({ kind }) => kind !== 'callee')
		const calling = keepCalling(inFlight, called, hosts, () => over)
		let answered = false
		const deciding = keepDeciding(asking, hosts, () => answered)
		const stage = { hosts, database, world, freezeMs: freezeSeconds * 1000, log }
		const faults = await faultAll(planOf(randomFrom(seed), kills, count), stage).finally(() => {
			over = true
		})
		const callers = await calling
		log(`${callers.length} runs were called, and answered after ${since()} s`)
		await Promise.all(hosts.map((host) => host.ready()))
		const house = await fullHouse(deployed, hosts, slots)
		answered = true
		await webhooksSettled(sql)
		log(`their webhooks were settled after ${since()} s`)
		const all = [...callers, ...house.callers]
		const rest = { faults, deployed, decided: await deciding, world, front, hosts, sql }
		const checked = await checkAll({ callers: all, ...rest })
		const violations = [...checked.violations, ...house.violations]
		await Promise.all(hosts.map((host) => host.stop()))
		violations.push(...(await leftOver()).map((line) => `a process outlived its host: ${line}`))
		const logs = hosts.flatMap(({ lines }) => lines)
		const seconds = (Date.now() - began) / 1000
		return { ...checked, runs: all.length, faults, violations, logs, seconds }
	} finally {
		await tearDown({ front, sql, world, database, dir })
	}
}

async function startHosts(
	dir: string,
	database: KeptDatabase,
	{ url, hosts }: Front,
	count: number,
	slots: number,
): Promise<void> {
	const env = {
		BASE_URL: url,
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
	for (let n = 1; n <= count; n++) {
		const host = await keepHost(join(dir, String(n)), env)
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

/**
 * No slot is leaked: each host still takes as many runs at once as it did. Runs that park come back to any of them, so they
 * are left out, as are those that begin another; a busy machine may bring a host the other's runs, so it has three tries.
 */
async function fullHouse(all: Deployed[], hosts: KeptHost[], slots: number) {
	const several = new Set<Kind>(['approval', 'agents', 'callee'])
	const deployed = all.filter(({ kind }) => !several.has(kind))
	const callers: Caller[] = []
	const violations: string[] = []
	for (const host of hosts) {
		for (let tries = 1; ; tries++) {
			const calls = Array.from({ length: slots - 10 }, (_, i) =>
				callOnce(deployed[i % deployed.length] as Deployed, [host]),
			)
			const answered = await Promise.all(calls)
			callers.push(...answered)
			const without = answered.filter(({ refused }) => refused > 0).length
			if (without === 0) break
			if (tries < houseTries) continue
			violations.push(`${without} of ${answered.length} runs found no room at ${host.url}, time after time`)
			break
		}
	}
	return { callers, violations }
}

async function tearDown(a: {
	front: Front
	sql: postgres.Sql
	world: World
	database: KeptDatabase
	dir: string
}): Promise<void> {
	await Promise.allSettled(a.front.hosts.map((host) => host.stop()))
	await Promise.allSettled([a.sql.end({ timeout: 1 }), a.world.close(), a.front.close()])
	await a.database.stop()
	rmSync(a.dir, { recursive: true, force: true })
}
