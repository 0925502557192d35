import type { FastifyBaseLogger } from 'fastify'
import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Sql } from '../db/index.ts'
import { firstId } from '../lib/ids.ts'
import type { Config } from '../settings/config.ts'
import { failingAgents } from './failing.ts'
import { type Mails, openMails } from './mail.ts'
import { raiseDiskLow } from './raise.ts'

export interface AlertParts {
	config: Pick<Config, 'ALERT_FROM' | 'BASE_URL' | 'SMTP_URL'>
	/** This host. */
	id: string
	sql: Sql
	log: FastifyBaseLogger
}

export interface Alerts {
	runEnded(deployment: string, status: string): void
	diskLow(freeMb: number): void
	start(): void
	stop(): Promise<void>
}

const lookMs = 2_000
/** The list goes as far back. */
const alertDays = 90
const forgetMs = 3_600_000

export function openAlerts(parts: AlertParts): Alerts {
	const { id, sql, log } = parts
	const failing = failingAgents(sql)
	const mails: Mails | null = openMails(parts)
	const timers: NodeJS.Timeout[] = []
	const underWay = new Map<string, Promise<void>>()
	/** One at a time of each; what fails is tried again at its next turn. */
	const turn = (what: string, work: () => Promise<unknown>) => {
		if (underWay.has(what)) return
		const done = work()
			.then(
				() => undefined,
				(error) => log.error({ err: error }, `${what} failed; it is tried again`),
			)
			.finally(() => underWay.delete(what))
		underWay.set(what, done)
	}
	const every = (ms: number, what: string, work: () => Promise<unknown>) =>
		timers.push(setInterval(turn, ms, what, work))
	return {
		runEnded: failing.note,
		diskLow: (freeMb) =>
			turn('the alert of a low disk', () => raiseDiskLow(sql, { host: id, free_mb: freeMb })),
		start() {
			every(lookMs, 'the look for failing agents', failing.look)
			every(forgetMs, 'the end of old alerts', () => forget(sql))
			if (mails) every(lookMs, 'the sending of alerts', mails.send)
		},
		async stop() {
			for (const timer of timers) clearInterval(timer)
			mails?.close()
			await Promise.all(underWay.values())
		},
	}
}

/** With their deliveries, which no run takes along. */
async function forget(sql: Sql): Promise<void> {
	const before = sharedNow() - alertDays * 86_400_000
	await sql`
		with old as (
			delete from alerts where id < ${firstId('alr', before)} returning deployment_id
		), told as (
			delete from deliveries t using endpoints p
			where p.deployment_id in (select deployment_id from old) and t.endpoint_id = p.id
				and t.id < ${firstId('dlv', before)} and t.run_id is null and t.status <> 'pending'
			returning t.id
		)
		delete from attempts a using told where a.delivery_id = told.id`
}
