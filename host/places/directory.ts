import type { FastifyBaseLogger } from 'fastify'
import type { Listen, Sql, Tx } from '../db/index.ts'
import { StartError } from '../lib/start-error.ts'
import type { Config } from '../settings/config.ts'
import { deploymentUrl, type Place } from './address.ts'

/** The places of this installation, as this host knows them. A place that is new elsewhere is heard of by NOTIFY. */
export interface Places {
	/** Of this host. */
	own: Place
	/** Undefined: no host has named its address yet. */
	find(id: string): Place | undefined
	/** The same array until something changes. */
	all(): readonly Place[]
	/** `deployment_url`. Of a place without an address it is here, where the call is told so. */
	urlOf(deployment: { place: string; slug: string }): string
	stop(): Promise<void>
}

interface DirectoryParts {
	config: Pick<Config, 'PLACE' | 'PLACE_URL' | 'DEPLOYMENT_DOMAIN'>
	/** This host, in the `hosts` table. */
	id: string
	sql: Sql
	listen: Listen
	log: FastifyBaseLogger
}

const channel = 'places'

/**
 * Writes down the address of this host's place, and reads those of the others. An address that another place has is refused:
 * what is sent there for one would reach the other.
 */
export async function openPlaces({ config, id, sql, listen, log }: DirectoryParts): Promise<Places> {
	const own: Place = { id: config.PLACE, url: config.PLACE_URL, domain: config.DEPLOYMENT_DOMAIN }
	let known: readonly Place[] = [own]
	let disagreed = ''

	async function read(): Promise<void> {
		const rows = await sql<Place[]>`select id, url, coalesce(deployment_domain, '') as domain from places`
		const named = rows.find((place) => place.id === own.id) ?? own
		const there = named.url === own.url && named.domain === own.domain ? '' : `${named.url} ${named.domain}`
		if (there !== '' && there !== disagreed)
			log.warn({ place: own.id, here: own.url, there: named.url }, disagreement)
		disagreed = there
		// What this host says of its own place is what it answers to.
		known = [own, ...rows.filter((place) => place.id !== own.id)]
	}
	const reread = () => {
		read().catch((error) => log.error({ err: error }, 'the places could not be read again'))
	}

	await register(sql, own)
	const others = await sql<{ id: string; url: string }[]>`
		select id, place_url as url from hosts
		where place = ${own.id} and id <> ${id} and lease_until > now() and place_url <> ${own.url} order by id`
	for (const { id: host, url: there } of others)
		log.warn({ place: own.id, here: own.url, there, host }, disagreement)
	await read()
	const listening = await listen(channel, reread, reread)
	const find = (id: string) => known.find((place) => place.id === id)
	return {
		own,
		find,
		all: () => known,
		urlOf: ({ place, slug }) => deploymentUrl(find(place) ?? own, slug),
		stop: listening.stop,
	}
}

const disagreement =
	'hosts of one place name different addresses: give all of them the same PLACE_URL (or BASE_URL) and DEPLOYMENT_DOMAIN'

/** The host that starts last decides; the others are told. */
async function register(sql: Sql, own: Place): Promise<void> {
	const { id, url, domain } = own
	await sql.begin(async (tx) => {
		// Of places that start at once, one has the address.
		await tx`lock table places in share row exclusive mode`
		const left = await leaveTo(tx, own)
		const changed = await tx`
			insert into places (id, url, deployment_domain) values (${id}, ${url}, nullif(${domain}, ''))
			on conflict (id) do update
			set url = excluded.url, deployment_domain = excluded.deployment_domain, updated_at = now()
			where (places.url, places.deployment_domain) is distinct from (excluded.url, excluded.deployment_domain)
			returning 1`
		if (changed.length + left.length > 0) await tx`select pg_notify(${channel}, ${id})`
	})
}

interface Other {
	id: string
	url: string
	alive: boolean
	agents: number
}

/** Forgets the places that had this address and that nobody misses. */
async function leaveTo(tx: Tx, { id, url, domain }: Place): Promise<string[]> {
	const others = await tx<Other[]>`
		select p.id, p.url, exists (select 1 from hosts h where h.place = p.id and h.lease_until > now()) as alive,
			(select count(*)::int from deployments d where d.place = p.id and d.state <> 'deleted') as agents
		from places p where p.id <> ${id} and (p.url = ${url} or p.deployment_domain = nullif(${domain}, '')) order by p.id`
	const kept = others.find(({ alive, agents }) => alive || agents > 0)
	if (kept) {
		const [taken, other] =
			kept.url === url ? [url, 'PLACE_URL'] : [`DEPLOYMENT_DOMAIN ${domain}`, 'DEPLOYMENT_DOMAIN']
		const has = kept.alive ? 'has hosts that run' : `has agents (${kept.agents})`
		throw new StartError(
			`The place ${kept.id} is at ${taken} and ${has}, so the place ${id} cannot be there, too. Set another ${other}, or PLACE=${kept.id}. A place is not renamed: it goes once its hosts are stopped and its agents deleted.`,
		)
	}
	const gone = others.map((one) => one.id)
	if (gone.length > 0) await tx`delete from places where id = any(${gone})`
	return gone
}
