// What `berth upgrade` does (dist/upgrade.mjs): says what this build would do to a database, and brings its schema up to it.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { type Opened, openSource, type Where } from '../backup/index.ts'
import { migrate, migrationFiles, type SchemaState, schemaState } from '../db/index.ts'
import { version } from '../lib/root.ts'
import { StartError } from '../lib/start-error.ts'

export { BackupError } from '../backup/index.ts'

export interface Upgrade {
	berth: string
	made_by: string | null
	pending_migrations: number
	/** Those whose lease holds: they go on with the schema as it becomes. */
	hosts: { id: string; version: string | null; address: string | null }[]
	/** Runs that have not ended, and those of them that this build cannot continue: they began two guest programs ago. */
	live_runs: number
	lost_runs: number
	/** Why this build must not touch the database; null: it may. */
	fault: string | null
}

/** Reads only. */
export async function check(where: Where, guests: string[]): Promise<Upgrade> {
	const source = await openSource(where)
	try {
		return await look(source, guests)
	} finally {
		await source.close()
	}
}

/** Applies what is pending, under the lock of all hosts that start. Returns what was found before. */
export async function upgrade(where: Where, guests: string[]): Promise<Upgrade> {
	const source = await openSource(where)
	try {
		const found = await look(source, guests)
		if (found.fault !== null) throw new StartError(found.fault)
		await migrate(source.connection)
		return found
	} finally {
		await source.close()
	}
}

/** Digests of the guest programs that a build carries, as runs name theirs. */
export function guestsIn(dist: string): string[] {
	return ['prelude.js', 'previous/prelude.js']
		.map((name) => `${dist}/${name}`)
		.filter((file) => existsSync(file))
		.map((file) => `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`)
}

async function look({ sql }: Opened, guests: string[]): Promise<Upgrade> {
	const state = await schemaState(sql, migrationFiles())
	const about = {
		berth: version,
		made_by: state.madeBy,
		pending_migrations: state.pending,
		fault: state.fault,
	}
	if (state.fault !== null || isEmpty(state)) return { ...about, hosts: [], live_runs: 0, lost_runs: 0 }
	const hosts = await sql<Upgrade['hosts']>`
		select id, to_jsonb(h) ->> 'version' as version, to_jsonb(h) ->> 'address' as address
		from public.hosts h where lease_until > now() order by id`
	const [runs] = await sql<{ live: number; lost: number }[]>`
		select count(*)::int as live, count(*) filter (where prelude not in ${sql(guests)})::int as lost
		from public.runs where status in ('queued', 'running', 'waiting')`
	return { ...about, hosts: [...hosts], live_runs: runs?.live ?? 0, lost_runs: runs?.lost ?? 0 }
}

const isEmpty = ({ pending }: SchemaState) => pending === migrationFiles().length
