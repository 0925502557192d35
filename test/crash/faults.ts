import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { KeptDatabase } from './database.ts'
import type { Step, Trouble, Victim } from './plan.ts'
import { freeze, type KeptHost } from './processes.ts'
import type { World } from './world.ts'

export interface Fault {
	what: Victim | Trouble
	/** Null: it is all hosts'. */
	host: number | null
	at: number
	/** When it was over, as far as the harness waited for it. */
	backAt: number
}

export interface Stage {
	hosts: KeptHost[]
	database: KeptDatabase
	world: World
	/** How long what is frozen stands still. */
	freezeMs: number
	log(line: string): void
}

const firstMs = 2_000
const outageMs = { least: 4_000, spread: 6_000 }
const clockSteps = [3_600_000, -3_600_000, 86_400_000, -86_400_000]
const cutStreams = 12
/**
 * Never while a host stands still: a refresh that is cut off for longer than 30 s in all may cost a sign-in, for so long our
 * own authorization server repeats its answer.
 */
const long = new Set<Fault['what']>(['outage', 'frozen machine'])
const common = new Set<Fault['what']>(['postgres', 'outage', 'frozen machine', 'cut'])

/** All of a plan, one after the other, but that others go on while one host or a part of it stands still. */
export async function faultAll(plan: Step[], stage: Stage): Promise<Fault[]> {
	const faults: Fault[] = []
	const standing: Promise<void>[] = []
	const start = Date.now()
	await sleep(firstMs)
	for (const { what, host, afterMs, size } of plan) {
		const whose = common.has(what) ? null : host
		if (long.has(what)) await Promise.all(standing.splice(0))
		await sleep(afterMs)
		const fault: Fault = { what, host: whose, at: Date.now(), backAt: Number.POSITIVE_INFINITY }
		const over = act(stage, what, stage.hosts[host] as KeptHost, size, fault)
		const begun = `${((fault.at - start) / 1000).toFixed(1)} s: ${what}`
		stage.log(
			`${String(faults.push(fault)).padStart(3)}. ${begun}${whose === null ? '' : ` of host ${host + 1}`}`,
		)
		const done = over.then(() => {
			fault.backAt = Date.now()
		})
		if (what.startsWith('frozen') && whose !== null) standing.push(done)
		else await done
	}
	await Promise.all(standing)
	return faults
}

/** Resolves when it is over. `fault.at` is set to the moment of it. */
async function act(
	stage: Stage,
	what: Fault['what'],
	host: KeptHost,
	size: number,
	fault: Fault,
): Promise<void> {
	const { database, freezeMs } = stage
	const now = () => {
		fault.at = Date.now()
	}
	switch (what) {
		case 'clock':
			now()
			return host.setClock(clockSteps[Math.floor(size * clockSteps.length)] as number)
		case 'cut':
			now()
			stage.world.cutNext(cutStreams)
			return
		case 'outage':
			now()
			return database.outage(outageMs.least + size * outageMs.spread)
		case 'frozen machine': {
			const all = [...stage.hosts.flatMap((one) => one.processes()), ...database.processes()]
			now()
			return freeze(all, freezeMs)
		}
		case 'frozen host':
		case 'frozen runtime':
		case 'frozen sandbox': {
			const pid = await find(what.slice('frozen '.length) as Victim, host, database)
			now()
			return freeze([pid], freezeMs)
		}
		default: {
			const pid = await find(what, host, database)
			process.kill(pid, 'SIGKILL')
			now()
			if (what === 'postgres') await isBack(database, pid)
		}
	}
}

/** Waits for the victim to be there: it may still be coming back from the last kill. */
async function find(victim: Victim, host: KeptHost, database: KeptDatabase): Promise<number> {
	for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20)) {
		const parts = host.parts()
		const pid =
			victim === 'postgres' ? database.pid() : victim === 'sandbox' ? parts.sandboxes.at(-1) : parts[victim]
		if (pid) return pid
	}
	throw new Error(`there was no ${victim} to be found`)
}

async function answers({ connection }: KeptDatabase): Promise<boolean> {
	const sql = postgres({ ...connection, max: 1, connect_timeout: 2, onnotice: () => undefined })
	return sql`select 1`
		.then(
			() => true,
			() => false,
		)
		.finally(() => sql.end({ timeout: 1 }))
}

async function isBack(database: KeptDatabase, before: number): Promise<void> {
	for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
		const pid = database.pid()
		if (pid && pid !== before && (await answers(database))) return
	}
	throw new Error('the database did not come back')
}
