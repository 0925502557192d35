import type { FastifyBaseLogger } from 'fastify'
import type { Sql } from './db/index.ts'

/** A host that has been gone so long is forgotten. */
const forgetAfterDays = 7

export interface Lease {
	/** Whether this host may think that its runs are still its own. */
	held(): boolean
	/**
	 * Held without a gap for a whole lease. Nobody can renew while the database is away, so a host that has just come
	 * back to it does not know who else is alive until they have had the time to renew, too.
	 */
	steady(): boolean
	/** Gives the lease back, so that others need not wait for its end. */
	release(): Promise<void>
}

/**
 * This host's row in `hosts`, renewed every third of its time. A host that could not renew has lost its runs to others,
 * but does no harm: every write of a run checks its epoch. So it takes a new lease as soon as it can, and goes on.
 */
export async function takeLease(
	sql: Sql,
	{ id, seconds, alone, log }: { id: string; seconds: number; alone: boolean; log: FastifyBaseLogger },
): Promise<Lease> {
	let heldUntil = 0
	let since = 0
	let renewing: Promise<void> | null = null
	const renew = async () => {
		const from = performance.now()
		await sql`
			insert into hosts (id, lease_until) values (${id}, now() + make_interval(secs => ${seconds}))
			on conflict (id) do update set lease_until = excluded.lease_until`
		if (heldUntil > 0 && from > heldUntil) log.warn('the lease of this host had run out; it is renewed')
		if (from > heldUntil) since = from
		heldUntil = from + seconds * 1000
	}
	await renew()
	// The embedded database has one host: every other lease is of a process that is gone, and need not be waited for.
	await sql`
		delete from hosts
		where id <> ${id} and (${alone} or lease_until < now() - make_interval(days => ${forgetAfterDays}))`
	const timer = setInterval(
		() => {
			renewing ??= renew()
				.catch((error) => log.error({ err: error }, 'the lease of this host could not be renewed'))
				.finally(() => {
					renewing = null
				})
		},
		(seconds * 1000) / 3,
	)
	return {
		held: () => performance.now() < heldUntil,
		steady: () => performance.now() < heldUntil && performance.now() - since >= seconds * 1000,
		release: async () => {
			clearInterval(timer)
			await renewing
			heldUntil = 0
			await sql`delete from hosts where id = ${id}`
		},
	}
}
