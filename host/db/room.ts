import type { Sql } from './open.ts'

const lookEveryMs = 10_000
/** Half a megabyte, far over `work_mem`: Postgres sorts it on its disk, and leaves nothing there. */
const lines = 8192

/** Class 53 and 58: a full disk or quota, and a disk that fails. Other errors say nothing of room. */
const noRoom = /^(53100|58030)$/

/** Why the database would not store anything just now; null: it would. Writes a temporary file, no row and no WAL. */
export async function writeFault(sql: Sql): Promise<string | null> {
	try {
		return await sql.begin(async (tx) => {
			await tx`set local work_mem = '64kB'`
			const [row] = await tx<{ read_only: boolean }[]>`
				select current_setting('transaction_read_only')::boolean as read_only, md5(n::text) as line
				from generate_series(1, ${lines}::int) n order by line offset ${lines - 1}::int`
			return row?.read_only ? 'the database takes no writes (read-only)' : null
		})
	} catch (error) {
		if (noRoom.test(String((error as { code?: unknown }).code))) return 'the database has no room on its disk'
		throw error
	}
}

/** One look at a time, and only when somebody asks. What a look that fails would have told stays as it was. */
export function lookedAt<T>(look: () => Promise<T>, first: T, everyMs = lookEveryMs): () => Promise<T> {
	let known = first
	let at = Number.NEGATIVE_INFINITY
	let looking: Promise<void> | undefined
	return async () => {
		if (!looking && performance.now() - at < everyMs) return known
		looking ??= look()
			.then(
				(seen) => {
					known = seen
				},
				() => undefined,
			)
			.finally(() => {
				at = performance.now()
				looking = undefined
			})
		await looking
		return known
	}
}
