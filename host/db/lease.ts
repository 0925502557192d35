import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { machineMs, setSharedNow } from '../../runtime/lib/clock.ts'
import type { Database, Sql } from './open.ts'

/** A host that has been gone so long is forgotten. */
const forgetAfterDays = 7
/** While the database is away: whoever comes back to it must find time to renew before others count. */
const againMs = 100
/** One look counts for no more than this many intervals, however long it was in coming. */
const creditIntervals = 1.5

export interface Lease {
	/** Whether this host may think that its runs are still its own. */
	held(): boolean
	/**
	 * Leases that were not renewed for their whole time, as far as this host has seen the database there, by their marks:
	 * a host that comes back to life has another mark at once.
	 */
	silent(): string[]
	/** This host was held up for longer than its lease, and has it again: others may have taken its runs. */
	onLapse(listener: () => void): void
	/** After each renewal. */
	onRenewed(listener: () => void): void
	/** Gives the lease back, so that others need not wait for its end. */
	release(): Promise<void>
}

/** Of a row `h` of `hosts`. */
const mark = `h.id || ' ' || extract(epoch from h.lease_until)::text`

/** Whether the host named in a column lives, in SQL. Of a host that this one has not seen for long enough, it does. */
export function isAlive(sql: Sql, lease: Pick<Lease, 'silent'>, column: 'host_id' | 'refresh_lease_by') {
	return sql`exists (
		select 1 from hosts h where h.id = ${sql(column)} and ${sql.unsafe(mark)} <> all(${lease.silent()}::text[]))`
}

interface Options {
	id: string
	seconds: number
	/** The embedded database has one host: every other lease is of a process that is gone, and need not be waited for. */
	alone: boolean
	/** Told to operators. */
	version?: string
	address?: string
	place?: { id: string; url: string }
	log: FastifyBaseLogger
}

/**
 * This host's row in `hosts`, renewed every third of its time, and at once when the database is back from an outage. A host
 * that could not renew has lost its runs to others, but does no harm: every write of a run checks its epoch. So it takes a
 * new lease as soon as it can, and goes on.
 */
export async function takeLease(
	connection: Database['connection'],
	{ id, seconds, alone, version = '', address = '', place, log }: Options,
): Promise<Lease> {
	// A connection of its own: a renewal must not wait in line behind whatever keeps the others.
	const open = () => postgres({ ...connection, max: 1 })
	let sql = open()
	const leaseMs = seconds * 1000
	const everyMs = leaseMs / 3
	const others = observed(leaseMs, everyMs)
	const lapsed = new Set<() => void>()
	const renewed = new Set<() => void>()
	const stopped = new AbortController()
	let heldUntil = 0
	const renew = async () => {
		const from = machineMs()
		const [row] = await sql<{ now: number; seen: [mark: string, leftMs: number][] }[]>`
			with mine as (
				insert into hosts (id, lease_until, version, address, place, place_url)
				values (${id}, now() + make_interval(secs => ${seconds}), nullif(${version}, ''), nullif(${address}, ''),
					${place?.id ?? 'local'}, ${place?.url ?? null})
				on conflict (id) do update set lease_until = excluded.lease_until
			)
			select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
				(select coalesce(json_agg(json_build_array(
					${sql.unsafe(mark)}, extract(epoch from lease_until - clock_timestamp()) * 1000)), '[]')
				from hosts h where id <> ${id}) as seen`
		if (!row) throw new Error('the database answered nothing')
		setSharedNow(row.now, from, machineMs())
		others.see(row.seen)
		const lapse = heldUntil > 0 && from > heldUntil
		heldUntil = from + leaseMs
		if (lapse) log.warn('the lease of this host had run out; it is renewed')
		for (const listener of [...(lapse ? lapsed : []), ...renewed]) listener()
	}
	const keep = async () => {
		let failing = false
		while (!stopped.signal.aborted) {
			await sleep(failing ? againMs : everyMs, undefined, { signal: stopped.signal }).catch(() => undefined)
			if (stopped.signal.aborted) return
			const error = await within(renew(), leaseMs).then(
				() => null,
				(error: Error) => error,
			)
			if (error && !failing) log.error({ err: error }, 'the lease of this host could not be renewed')
			failing = error !== null
			if (!(error instanceof Silence)) continue
			void sql.end({ timeout: 0 })
			sql = open()
		}
	}
	await renew()
	await sql`
		delete from hosts
		where id <> ${id} and (${alone} or lease_until < now() - make_interval(days => ${forgetAfterDays}))`
	void keep()
	return {
		held: () => machineMs() < heldUntil,
		silent: others.silent,
		onLapse: (listener) => void lapsed.add(listener),
		onRenewed: (listener) => void renewed.add(listener),
		release: async () => {
			stopped.abort()
			heldUntil = 0
			// After a renewal under way, which has the same connection.
			await sql`delete from hosts where id = ${id}`.finally(() => sql.end({ timeout: 1 }))
		},
	}
}

/**
 * How long each other host has been silent, in time that the database was there for it: from one look at it to the next,
 * and little of that where the next was long in coming. Nobody can renew while the database is away or this machine stands
 * still, and after every such gap each host gets the time to, however often they come.
 */
function observed(leaseMs: number, everyMs: number) {
	/** What is left of each lease; one that was taken for longer than ours lasts longer. */
	let left = new Map<string, number>()
	let lookedAt = performance.now()
	return {
		see(seen: [mark: string, leftMs: number][]): void {
			const now = performance.now()
			const credit = Math.min(now - lookedAt, creditIntervals * everyMs)
			lookedAt = now
			left = new Map(
				seen.map(([one, leftMs]) => {
					const before = left.get(one)
					return [one, before === undefined ? Math.max(leaseMs, leftMs) : before - credit]
				}),
			)
		},
		silent: () => [...left].flatMap(([one, ms]) => (ms <= 0 ? [one] : [])),
	}
}

/** Of a connection that is half open nothing is heard for minutes: another is needed. */
class Silence extends Error {}

async function within(work: Promise<void>, ms: number): Promise<void> {
	const bound = new AbortController()
	const late = sleep(ms, undefined, { signal: bound.signal }).then(
		() => Promise.reject(new Silence(`the database does not answer within ${ms} ms`)),
		() => undefined,
	)
	await Promise.race([work, late]).finally(() => bound.abort())
}
