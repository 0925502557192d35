/** A page of rows that are sorted by id, newest first, of which one more than `limit` was read. The cursor is an id. */
export function toPage<Row extends { id: string }, T>(rows: Row[], limit: number, view: (row: Row) => T) {
	const kept = rows.slice(0, limit)
	return { data: kept.map(view), next_cursor: rows.length > limit ? (kept.at(-1)?.id ?? null) : null }
}
