import type { Sql } from '../db/index.ts'

/** A delivery that is due, leased to this sender. */
export interface Due {
	id: string
	endpoint: string
	event: string
	type: string
	body: string
	url: string
	/** Wrapped; during a rotation the older one follows. */
	secrets: string[]
	/** The endpoint's last delivery failed. */
	failing: boolean
	/** The number this attempt will have. */
	attempt: number
	/** Attempts of the schedule that are behind it. */
	tried: number
}

/** Looked at in one claim; those of endpoints that have enough under way are left. */
const lookedAt = 256

/**
 * Takes due deliveries of a place, the longest due first, at most `perEndpoint` of one endpoint with those under way already.
 * `leaseMs` is longer than an attempt can take: one whose sender died is taken by another then.
 */
export async function claimDue(
	sql: Sql,
	place: string,
	free: number,
	perEndpoint: number,
	busy: Map<string, number>,
	leaseMs: number,
): Promise<Due[]> {
	const full = [...busy].filter(([, count]) => count >= perEndpoint).map(([endpoint]) => endpoint)
	return sql<Due[]>`
		with due as (
			select id, endpoint_id, next_attempt_at from deliveries
			where place = ${place} and next_attempt_at <= now() and (lease_until is null or lease_until < now()) and endpoint_id <> all(${full})
			order by next_attempt_at limit ${lookedAt} for update skip locked
		), ranked as (
			select id, endpoint_id, next_attempt_at,
				row_number() over (partition by endpoint_id order by next_attempt_at, id) as nth
			from due
		), taken as (
			select r.id from ranked r
			left join unnest(${[...busy.keys()]}::text[], ${[...busy.values()]}::int[]) as b(endpoint, count)
				on b.endpoint = r.endpoint_id
			where r.nth + coalesce(b.count, 0) <= ${perEndpoint}
			order by r.next_attempt_at limit ${free}
		)
		update deliveries d set lease_until = now() + make_interval(secs => ${leaseMs / 1000})
		from taken t, endpoints p
		where d.id = t.id and p.id = d.endpoint_id
		returning d.id, d.endpoint_id as endpoint, d.event_id as event, d.type, d.body, p.url, p.failing_since is not null as failing,
			d.attempts + 1 as attempt,
			d.attempts - d.attempts_before as tried,
			case when p.previous_secret_until > now() then array[p.secret, p.previous_secret] else array[p.secret] end as secrets`
}
