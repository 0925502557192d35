import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Embedded } from '../../host/db/index.ts'
import type { KeptHost } from './processes.ts'
import { randomFrom, shuffled } from './random.ts'

export const victims = ['sandbox', 'runtime', 'host', 'postgres'] as const
export type Victim = (typeof victims)[number]

export interface Kill {
	victim: Victim
	/** Null: the database belongs to both. */
	host: number | null
	pid: number
	at: number
	/** When it was whole again, as far as the harness waited for it. */
	backAt: number
}

const firstMs = 2_000
const leastMs = 900
const spreadMs = 2_600

/** Which victim, of which host, after how long: all from the seed. Every kind of victim comes once in four. */
export function planOf(seed: number, kills: number): { victim: Victim; host: number; afterMs: number }[] {
	const random = randomFrom(seed)
	const plan: ReturnType<typeof planOf> = []
	while (plan.length < kills) {
		for (const victim of shuffled(victims, random)) {
			plan.push({ victim, host: random() < 0.5 ? 0 : 1, afterMs: leastMs + random() * spreadMs })
		}
	}
	return plan.slice(0, kills)
}

export async function killAll(
	plan: ReturnType<typeof planOf>,
	hosts: KeptHost[],
	database: Embedded,
	log: (line: string) => void,
): Promise<Kill[]> {
	const kills: Kill[] = []
	const start = Date.now()
	await sleep(firstMs)
	for (const { victim, host, afterMs } of plan) {
		await sleep(afterMs)
		const pid = await find(victim, hosts[host] as KeptHost, database)
		process.kill(pid, 'SIGKILL')
		const at = Date.now()
		if (victim === 'postgres') await isBack(database, pid)
		kills.push({ victim, host: victim === 'postgres' ? null : host, pid, at, backAt: Date.now() })
		const whose = victim === 'postgres' ? '' : ` of host ${host + 1}`
		log(
			`${String(kills.length).padStart(3)}. ${((at - start) / 1000).toFixed(1)} s: ${victim}${whose} (pid ${pid})`,
		)
	}
	return kills
}

/** Waits for the victim to be there: it may still be coming back from the last kill. */
async function find(victim: Victim, host: KeptHost, database: Embedded): Promise<number> {
	for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
		const parts = host.parts()
		const pid =
			victim === 'postgres' ? database.pid() : victim === 'sandbox' ? parts.sandboxes.at(-1) : parts[victim]
		if (pid) return pid
	}
	throw new Error(`there was no ${victim} to kill`)
}

async function answers({ connection }: Embedded): Promise<boolean> {
	const sql = postgres({ ...connection, max: 1, connect_timeout: 2, onnotice: () => undefined })
	return sql`select 1`
		.then(
			() => true,
			() => false,
		)
		.finally(() => sql.end({ timeout: 1 }))
}

async function isBack(database: Embedded, before: number): Promise<void> {
	for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
		const pid = database.pid()
		if (pid && pid !== before && (await answers(database))) return
	}
	throw new Error('the database did not come back')
}
