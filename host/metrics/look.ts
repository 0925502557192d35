import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Sql } from '../db/index.ts'
import { type Family, gauge } from './series.ts'

interface LookParts {
	sql: Sql
	runtime: Pick<RuntimeClient, 'call'>
	config: { PLACE: string }
}

/** However many ask, the database and the runtime are asked no more often. */
const everyMs = 10_000
/** A look that takes longer tells nothing. */
const patienceMs = 2_000
/** Counted so far: beyond it there is no more to know. */
const countedMost = 100_000

/** What is known only by asking others: at most once in ten seconds, and only while somebody wants to know. */
export function outside(parts: LookParts): () => Promise<Family[]> {
	let lookedAt = Number.NEGATIVE_INFINITY
	let last: Promise<Family[]> = Promise.resolve([])
	return () => {
		if (performance.now() - lookedAt < everyMs) return last
		lookedAt = performance.now()
		last = Promise.all([database(parts), sandboxes(parts)]).then((found) => found.flat())
		return last
	}
}

async function database({ sql, config }: LookParts): Promise<Family[]> {
	const from = performance.now()
	const row = await inTime(
		sql<{ waiting: number; oldest: number }[]>`
			select count(*)::int as waiting, coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::float8 as oldest
			from (
				select next_attempt_at from deliveries where place = ${config.PLACE} and next_attempt_at <= now()
				order by next_attempt_at limit ${countedMost}
			) due`.then(([found]) => found),
	)
	const seconds = (performance.now() - from) / 1000
	const place = { place: config.PLACE }
	return [
		gauge('berth_database_up', 'The database answers this host.', row ? 1 : 0),
		gauge(
			'berth_database_answer_seconds',
			'Of one statement, with the wait for a connection of the pool.',
			seconds,
		),
		gauge('berth_webhooks_due', 'Deliveries of this place that are due, on all hosts.', row?.waiting, place),
		gauge('berth_webhooks_due_age_seconds', 'How long the first of them is due.', row?.oldest, place),
	]
}

async function sandboxes({ runtime }: LookParts): Promise<Family[]> {
	const stats = await inTime(runtime.call('stats', {}))
	const busy = stats?.sandboxes.filter(({ deployment }) => deployment !== null).length ?? 0
	const counts = stats ? { deployment: busy, spare: stats.sandboxes.length - busy } : {}
	return [
		{
			name: 'berth_sandboxes',
			help: 'Sandbox processes: of a deployment, or kept ready.',
			type: 'gauge',
			samples: Object.entries(counts).map(([use, value]) => ({ labels: { use }, value })),
		},
	]
}

/** Undefined: it failed, or takes too long. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<undefined>((resolve) => {
		timer = setTimeout(resolve, patienceMs, undefined)
	})
	return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
