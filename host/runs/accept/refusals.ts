import { desc, eq } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { sharedNow } from '../../../runtime/lib/clock.ts'
import type { Refusal } from '../../api/runs.ts'
import { query, read, type Sql, tables } from '../../db/index.ts'
import { iso } from '../../deployments/index.ts'
import type { Problem } from '../../http/errors.ts'
import { toProblem } from '../../http/validation.ts'

// Calls of `/run` that were refused before there was a run: counted by deployment, code and hour, with the last reason.

const hourMs = 3_600_000
const flushMs = 1000
const keptDays = 7
const detailMaxLetters = 500
const pathsMax = 5
const pathMaxLetters = 200

/** What a second has refused of one kind. Nothing of the inputs but where they are wrong. */
export interface Refused {
	deployment: string
	hour: number
	code: string
	count: number
	last: number
	detail: string
	/** JSON text of a list of pointers. */
	paths: string
}

export interface Refusals {
	/** Costs the caller's answer nothing: it is written later. */
	count(deployment: string, error: unknown): void
	/** Writes what is left. */
	close(): Promise<void>
}

/** A flood of refused calls is one statement a second. What could not be written is kept and tried again. */
export function openRefusals(
	write: (refused: Refused[]) => Promise<unknown>,
	log: Pick<FastifyBaseLogger, 'warn'>,
): Refusals {
	let pending = new Map<string, Refused>()
	let flushing: Promise<void> | null = null

	async function flush(): Promise<void> {
		const batch = pending
		if (batch.size === 0) return
		pending = new Map()
		try {
			// In order, so that two hosts never wait for each other's rows crosswise.
			await write([...batch.keys()].sort().map((key) => batch.get(key) as Refused))
		} catch (error) {
			for (const [key, old] of batch) {
				const since = pending.get(key)
				pending.set(key, since ? { ...since, count: since.count + old.count } : old)
			}
			log.warn({ err: error }, 'refused calls could not be written; they are kept and tried again')
		}
	}
	const timer = setInterval(() => {
		flushing ??= flush().finally(() => {
			flushing = null
		})
	}, flushMs)
	timer.unref()

	return {
		count(deployment, error) {
			const problem = toProblem(error)
			const last = sharedNow()
			const hour = last - (last % hourMs)
			const key = `${deployment} ${hour} ${problem.code}`
			const before = pending.get(key)
			pending.set(key, {
				...{ deployment, hour, code: problem.code, last },
				count: (before?.count ?? 0) + 1,
				...reasonOf(problem),
			})
		},
		async close() {
			clearInterval(timer)
			await flushing
			await flush()
		},
	}
}

function reasonOf({ message, parts }: Problem): { detail: string; paths: string } {
	const paths = (parts.errors ?? []).slice(0, pathsMax).map(({ path }) => storable(path, pathMaxLetters))
	return { detail: storable(message, detailMaxLetters), paths: JSON.stringify(paths) }
}

/** Callers choose the names of members. */
const storable = (text: string, maxLetters: number) =>
	text.slice(0, maxLetters).replaceAll('\0', '\ufffd').toWellFormed()

/**
 * They are written later: of a deployment that was deleted since, nothing is. The lock waits for a deletion under way,
 * which takes away what was written before.
 */
export function writeRefusals(sql: Sql): (refused: Refused[]) => Promise<unknown> {
	return (refused) => sql`
		insert into refusals as r (deployment_id, hour, code, count, last_at, detail, paths)
		select deployment, to_timestamp(hour / 1000), code, count, to_timestamp(last / 1000), detail, paths::json
		from unnest(
			${refused.map(({ deployment }) => deployment)}::text[],
			${refused.map(({ hour }) => hour)}::float8[],
			${refused.map(({ code }) => code)}::text[],
			${refused.map(({ count }) => count)}::int[],
			${refused.map(({ last }) => last)}::float8[],
			${refused.map(({ detail }) => detail)}::text[],
			${refused.map(({ paths }) => paths)}::text[]
		) as e(deployment, hour, code, count, last, detail, paths)
		join deployments d on d.id = e.deployment and d.state <> 'deleted'
		for share of d
		on conflict (deployment_id, hour, code) do update
			set count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at),
				detail = excluded.detail, paths = excluded.paths`
}

/** Newest hour first. At most a row for each code and hour that is kept. */
export async function readRefusals(sql: Sql, deployment: string): Promise<Refusal[]> {
	const { hour, code, count, last_at, detail, paths, deployment_id } = tables.refusals
	const rows = await read(
		sql,
		query
			.select({ hour, code, count, last_at, detail, paths })
			.from(tables.refusals)
			.where(eq(deployment_id, deployment))
			.orderBy(desc(hour), desc(last_at)),
	)
	return rows.map(({ hour, last_at, ...rest }) => ({ ...rest, hour: iso(hour), last_at: iso(last_at) }))
}

export async function forgetOldRefusals(sql: Sql): Promise<void> {
	await sql`delete from refusals where hour < now() - make_interval(days => ${keptDays})`
}
