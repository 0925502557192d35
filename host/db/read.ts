import { QueryBuilder } from 'drizzle-orm/pg-core'
import type { Sql, Tx } from './open.ts'

// Reads that are not on the path of a run. The schema holds their columns, and says what they give.

export const query = new QueryBuilder()

/** A select of columns, each by the name it shall have. */
interface Built<Row> {
	toSQL(): { sql: string; params: unknown[] }
	readonly _: { readonly result: Row[]; readonly selectedFields: object }
}

/** By the host's own client: one of drizzle's would change the driver's parsers, and hold connections of its own. */
export async function read<Row extends object>(sql: Sql | Tx, built: Built<Row>): Promise<Row[]> {
	const { sql: text, params } = built.toSQL()
	const rows = await sql.unsafe(text, params as never[], { prepare: true }).values()
	// Drizzle names no column in its text: the order is that of the fields.
	const names = Object.keys(built._.selectedFields)
	return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])) as Row)
}
