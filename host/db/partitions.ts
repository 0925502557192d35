import { firstId } from '../lib/ids.ts'
import type { Sql, Tx } from './open.ts'

// The journal is most of what a run leaves behind. It is partitioned by the week in which its run's id was made: a week
// whose runs are gone is dropped as a file, without a delete or a vacuum. Ids are made by the database's clock.
// `runs` is not partitioned: each of its statements finds runs by id, so each would open every partition with its indexes.

const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** So far ahead there are partitions: a host that is stopped for longer makes them at its next start. */
const aheadMs = 2 * weekMs
/** The first partition of an older database ends so far ahead, and is bounded anew when that is near. */
const boundMs = 5 * weekMs
const boundNearMs = weekMs
/** Any number nobody else uses: one host at a time changes partitions. */
const partitionLock = 8_787_002
/** Everything that writes waits behind a change of the table, and the change behind every reader: so it gives up soon. */
const lockPatienceMs = 200
const refused = '55P03'

const table = 'journal'
/** Takes what no other partition takes, so that no write is ever refused. Empty, unless nobody was there to make partitions. */
const rest = 'journal_rest'
/** All that was written before there were partitions; also the name of the check that lets it be attached without a scan. */
const before = 'journal_before'

export interface Kept {
	added: string[]
	dropped: string[]
}

interface Partition {
	name: string
	/** Bounds; null: of the first one's begin. */
	from: string | null
	to: string
}

/** Monday, 00:00 UTC. */
export const weekOf = (ms: number): number => ms - ((((ms - 4 * dayMs) % weekMs) + weekMs) % weekMs)

/**
 * Makes the partitions of the weeks to come, and drops those that no run needs any more. A table of before there were
 * partitions becomes the first of them; its rows are read once for that, without stopping anybody. Null: another host is at
 * it, or the table was busy; it is done the next time.
 */
export async function keepPartitions(sql: Sql): Promise<Kept | null> {
	try {
		if (!(await isPartitioned(sql)) && !(await convert(sql))) return null
		return await alone(sql, async (tx, now) => ({
			added: await add(tx, now),
			dropped: await drop(tx, now),
		}))
	} catch (error) {
		if ((error as { code?: string }).code === refused) return null
		throw error
	}
}

/** Null: another host holds the lock. */
async function alone<T>(sql: Sql, work: (tx: Tx, now: number) => Promise<T>): Promise<T | null> {
	return (await sql.begin(async (tx) => {
		await tx.unsafe(`set local lock_timeout = ${lockPatienceMs}; set local statement_timeout = 0`)
		const [row] = await tx<{ mine: boolean; now: number }[]>`
			select pg_try_advisory_xact_lock(${partitionLock}) as mine, extract(epoch from now())::float8 * 1000 as now`
		return row?.mine ? work(tx, row.now) : null
	})) as T | null
}

async function isPartitioned(sql: Sql | Tx): Promise<boolean> {
	const [row] = await sql<{ kind: string }[]>`
		select relkind as kind from pg_class where oid = to_regclass(${`public.${table}`})`
	return row?.kind === 'p'
}

/** Short transactions, and a scan between them that blocks nobody. Any of them may be the last of a host that died. */
async function convert(sql: Sql): Promise<boolean> {
	const bounded = await alone(sql, bound)
	if (!bounded) return false
	const checked = await alone(sql, async (tx) => {
		if (!(await isPartitioned(tx)))
			await tx.unsafe(`alter table public.${table} validate constraint ${before}`)
		return true
	})
	return Boolean(checked && (await alone(sql, partition)))
}

/** While the check is there, it must not come near: it would refuse the runs of its day. */
async function bound(tx: Tx, now: number): Promise<boolean> {
	if (await isPartitioned(tx)) return true
	await tx.unsafe(`lock table public.${table} in access exclusive mode`)
	const [row] = await tx`select 1 from journal limit 1`
	if (!row) return attach(tx, firstId('run', weekOf(now)))
	const held = await readBound(tx)
	if (held !== null && held > firstId('run', now + boundNearMs)) return true
	if (held !== null) await tx.unsafe(`alter table public.${table} drop constraint ${before}`)
	const to = firstId('run', weekOf(now) + boundMs)
	await tx.unsafe(`alter table public.${table} add constraint ${before} check (run_id < '${to}') not valid`)
	return true
}

async function readBound(tx: Tx): Promise<string | null> {
	const [row] = await tx<{ check: string }[]>`
		select pg_get_constraintdef(oid) as check from pg_constraint
		where conrelid = to_regclass(${`public.${table}`}) and conname = ${before}`
	return /'(run_[0-9a-z]+)'/.exec(row?.check ?? '')?.[1] ?? null
}

async function partition(tx: Tx): Promise<boolean> {
	if (await isPartitioned(tx)) return true
	const to = await readBound(tx)
	return to === null ? false : attach(tx, to)
}

/** The same table under its old name, with all it has so far as its first partition. */
async function attach(tx: Tx, to: string): Promise<true> {
	const key = 'journal_run_id_first_seq_pk'
	await tx.unsafe(`
		alter table public.${table} rename to ${before};
		alter table public.${before} rename constraint ${key} to ${before}_pk;
		create table public.${table} (like public.${before} including storage including compression)
			partition by range (run_id);
		alter table public.${table} add constraint ${key} primary key (run_id, first_seq);
		alter table public.${table} attach partition public.${before} for values from (minvalue) to ('${to}');
		alter table public.${before} drop constraint if exists ${before};
		create table public.${rest} partition of public.${table} default`)
	return true
}

/** From the week now, or the last there is, to the weeks ahead. What the default partition took of them moves. */
async function add(tx: Tx, now: number): Promise<string[]> {
	const last =
		(await readPartitions(tx))
			.map(({ to }) => to)
			.sort()
			.at(-1) ?? ''
	const made: string[] = []
	for (let week = weekOf(now); week <= weekOf(now + aheadMs); week += weekMs) {
		const [from, to] = [firstId('run', week), firstId('run', week + weekMs)]
		if (from < last) continue
		const name = `${table}_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')}`
		await tx.unsafe(`
			lock table public.${rest} in access exclusive mode;
			create table public.${name} (like public.${table} including storage including compression);
			with moved as (delete from public.${rest} where run_id >= '${from}' and run_id < '${to}' returning *)
			insert into public.${name} select * from moved;
			alter table public.${table} attach partition public.${name} for values from ('${from}') to ('${to}')`)
		made.push(name)
	}
	return made
}

/** Of weeks that are over, those without a run: what is live, waits, or has not expired keeps its week. */
async function drop(tx: Tx, now: number): Promise<string[]> {
	const over = firstId('run', now - weekMs)
	const dropped: string[] = []
	for (const { name, from, to } of await readPartitions(tx)) {
		if (to > over) continue
		const [needed] = await tx`select 1 from runs where id >= ${from ?? ''} and id < ${to} limit 1`
		if (needed) continue
		await tx.unsafe(`drop table public."${name}"`)
		dropped.push(name)
	}
	await tx.unsafe(`
		delete from public.${rest} j where run_id < '${over}' and not exists (select from public.runs r where r.id = j.run_id)`)
	return dropped
}

/** Without the default one. */
async function readPartitions(tx: Tx): Promise<Partition[]> {
	const rows = await tx<{ name: string; bounds: string }[]>`
		select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
		from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = to_regclass(${`public.${table}`})`
	return rows.flatMap(({ name, bounds }) => {
		const [, from = '', to] = /FROM \((?:MINVALUE|'(\w+)')\) TO \('(\w+)'\)/.exec(bounds) ?? []
		return to === undefined ? [] : [{ name, from: from || null, to }]
	})
}
