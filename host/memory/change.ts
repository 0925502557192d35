import { createHash } from 'node:crypto'
import type { Sql, Tx } from '../db/index.ts'
import { isStorable, totalFault, writeFault } from './rules.ts'

export interface Change {
	deployment: string
	path: string
	/** Null deletes the file. */
	content: string | null
	/** The version it must still have; 0: it must not be there. Undefined: whatever is there. */
	expected: number | undefined
	/** An account, or a run with its fencing epoch and the number of the effect. */
	by: { account: string } | { run: string; epoch: number; effect: number }
}

export type Changed =
	| { ok: true; version: number; size: number; created: boolean }
	| { ok: false; code: 'conflict' | 'not_found' | 'invalid_request'; message: string }

/** Writes that are kept beside the current ones. */
const keptVersions = 500
/** Beyond them, those whose run may have ended meanwhile. */
const lookedBack = 100

interface Totals {
	files: number
	bytes: number
	writes: number
}

/**
 * One write. Writes of a deployment come one after the other, each sees the one before, and none is lost: it says what it
 * was made from. A run's effect that is executed again (its result was not committed) is answered and changes nothing.
 */
export async function changeMemory(sql: Sql, change: Change): Promise<Changed> {
	const { path, content } = change
	const fault = content === null ? null : writeFault(path, content)
	if (fault) return refused('invalid_request', fault)
	if (!isStorable(path)) return missing(path)
	return sql.begin(async (tx) => {
		const totals = await lockTotals(tx, change.deployment)
		const done = await executedBefore(tx, change)
		return done ?? apply(tx, change, totals)
	})
}

export async function lockTotals(tx: Tx, deployment: string): Promise<Totals> {
	const [totals] = await tx<[Totals]>`
		insert into memory_totals (deployment_id) values (${deployment})
		on conflict (deployment_id) do update set deployment_id = excluded.deployment_id
		returning files, bytes, writes`
	return totals
}

/** Rejects `fenced` where the run is no longer that host's. */
async function executedBefore(tx: Tx, { deployment, by }: Change): Promise<Changed | null> {
	if ('account' in by) return null
	const [run] = await tx`
		select 1 from runs
		where id = ${by.run} and deployment_id = ${deployment} and epoch = ${by.epoch} and status in ('queued', 'running')
		for share`
	if (!run) throw Object.assign(new Error(`another host owns ${by.run}`), { code: 'fenced' })
	const [done] = await tx<{ version: number; size: number }[]>`
		select version, size from memory_versions where actor = ${by.run} and effect = ${by.effect}`
	return done ? { ok: true, created: false, ...done } : null
}

async function apply(
	tx: Tx,
	{ deployment, path, content, expected, by }: Change,
	totals: Totals,
): Promise<Changed> {
	const [held] = await tx<{ version: number; size: number }[]>`
		select version, size from memory where deployment_id = ${deployment} and path = ${path}`
	if (content === null && !held) return missing(path)
	if (expected !== undefined && expected !== (held?.version ?? 0)) return conflict(path, held?.version)
	const size = content === null ? 0 : Buffer.byteLength(content)
	const after = {
		files: totals.files + (content === null ? 0 : 1) - (held ? 1 : 0),
		bytes: totals.bytes + size - (held?.size ?? 0),
		writes: totals.writes + 1,
	}
	const full = content === null ? null : totalFault(after)
	if (full) return refused('invalid_request', full)
	const inTheWay = content !== null && !held && (await folderFault(tx, deployment, path))
	if (inTheWay) return refused('invalid_request', inTheWay)
	await write(tx, { deployment, path, content, by, size, version: after.writes })
	await tx`
		update memory_totals set files = ${after.files}, bytes = ${after.bytes}, writes = ${after.writes}
		where deployment_id = ${deployment}`
	await letGo(tx, deployment, after.writes - keptVersions, held?.version ?? 0)
	return { ok: true, version: after.writes, size, created: !held }
}

async function write(
	tx: Tx,
	{
		deployment,
		path,
		content,
		by,
		size,
		version,
	}: Omit<Change, 'expected'> & { size: number; version: number },
): Promise<void> {
	if (content === null) await tx`delete from memory where deployment_id = ${deployment} and path = ${path}`
	else {
		await tx`
			insert into memory (deployment_id, path, version, size) values (${deployment}, ${path}, ${version}, ${size})
			on conflict (deployment_id, path) do update
			set version = excluded.version, size = excluded.size, updated_at = now()`
	}
	const sha256 = content === null ? null : createHash('sha256').update(content).digest('hex')
	const [actor, effect] = 'account' in by ? [by.account, null] : [by.run, by.effect]
	await tx`
		insert into memory_versions (deployment_id, version, path, content, size, sha256, actor, effect)
		values (${deployment}, ${version}, ${path}, ${content}, ${size}, ${sha256}, ${actor}, ${effect})`
}

/** As in a file system, a path is a file or a folder. */
async function folderFault(tx: Tx, deployment: string, path: string): Promise<string | null> {
	const above = path
		.split('/')
		.slice(0, -1)
		.map((_, i, parts) => parts.slice(0, i + 1).join('/'))
	const [other] = await tx<{ path: string }[]>`
		select path from memory
		where deployment_id = ${deployment} and (starts_with(path, ${`${path}/`}) or path = any(${above})) limit 1`
	if (!other) return null
	return `${path} cannot be a file: memory has ${other.path}.`
}

/**
 * A write beyond the window goes, unless it is the current one of its file; that one goes when it no longer is. So does one
 * whose run is still at work: executed again after a crash, it must find what it did. Hence the look at some before.
 */
async function letGo(tx: Tx, deployment: string, last: number, before: number): Promise<void> {
	if (last < 1) return
	await tx`
		delete from memory_versions v
		where deployment_id = ${deployment} and version <= ${last} and (version > ${last - lookedBack} or version = ${before})
			and not exists (select 1 from memory m where m.deployment_id = ${deployment} and m.path = v.path and m.version = v.version)
			and not exists (select 1 from runs r where r.id = v.actor and r.status in ('queued', 'running'))`
}

function conflict(path: string, now: number | undefined): Changed {
	const state =
		now === undefined ? 'it is not there (any more)' : `it is there, in version ${now}; read it first`
	return refused('conflict', `${path} was not changed: ${state}.`)
}

function missing(path: string): Changed {
	return refused('not_found', `There is no ${path} in memory.`)
}

function refused(code: Extract<Changed, { ok: false }>['code'], message: string): Changed {
	return { ok: false, code, message }
}
