import type { ListedPlace } from '../api/places.ts'
import type { Sql, Tx } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import type { Places } from './directory.ts'

/** In SQL: whether a host of the place named in a column lives. */
export const isPlaceAlive = (sql: Sql | Tx, column: 'd.place' | 'p.id') =>
	sql`exists (select 1 from hosts h where h.place = ${sql(column)} and h.lease_until > now())`

/** In SQL: whether another place was given the address of `p.id`, by hosts of before that was refused. */
const isShared = (sql: Sql) =>
	sql`exists (
		select 1 from places mine join places o on o.id <> mine.id
			and (o.url = mine.url or o.deployment_domain = mine.deployment_domain)
		where mine.id = p.id)`

/** Those that hosts have named, and those that only deployments of this account name still. */
export async function listPlaces(sql: Sql, places: Places, accountId: string): Promise<ListedPlace[]> {
	const rows = await sql<{ id: string; url: string | null; hosts: number; shared: boolean }[]>`
		select p.id, max(p.url) as url, ${isShared(sql)} as shared,
			(select count(*)::int from hosts h where h.place = p.id and h.lease_until > now()) as hosts
		from (
			select id, url from places
			union all
			select distinct place, null from deployments where account_id = ${accountId} and state <> 'deleted'
		) p group by p.id order by p.id`
	return rows.map(({ id, url, hosts, shared }) => ({
		id,
		name: rows.length === 1 ? 'This host' : url ? new URL(url).host : id,
		default: id === places.own.id,
		url,
		hosts,
		deployable: hosts > 0 && (id === places.own.id || !shared),
	}))
}

/** Refuses a place where nothing can be deployed now. */
export async function requirePlace(sql: Sql, places: Places, id: string): Promise<void> {
	if (id === places.own.id) return
	const [place] = await sql<{ alive: boolean; shared: boolean }[]>`
		select ${isPlaceAlive(sql, 'p.id')} as alive, ${isShared(sql)} as shared from places p where p.id = ${id}`
	if (!place) {
		const message = 'is no place of GET /v1/places'
		throw new Problem('invalid_request', `place ${message}.`, { errors: [{ path: 'place', message }] })
	}
	if (!place.alive) throw noHost(id)
	if (place.shared) {
		const detail = `Another place has the address of the place ${id}, so nothing could reach a deployment there. Its operator gives each place a PLACE_URL of its own.`
		throw new Problem('conflict', detail, { members: { place: id } })
	}
}

export const noHost = (place: string) =>
	new Problem(
		'conflict',
		`No host of the place ${place} is alive, so nothing can be deployed or started there. Choose another place of GET /v1/places, or have its operator start a host.`,
		{ members: { place } },
	)
