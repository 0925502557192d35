import type postgres from 'postgres'
import { expect, test } from 'vitest'
import { migrate, migrationFiles } from '../../../../host/db/index.ts'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { newId } from '../../../../host/lib/ids.ts'
import { emptyDatabase, olderMigrations, onDatabase } from '../../../kit/backup.ts'
import { temporary } from '../../../kit/berth.ts'
import { dropDatabase } from '../../../kit/host.ts'

// Every schema that there ever was, with rows in each table, one migration after the other. Hosts of the version before
// run on while a schema is brought up to the next (expand, then contract): they read and write what they know.

interface Column {
	table: string
	column: string
	type: string
	required: boolean
	/** `table.column` that it refers to. */
	refers: string | null
}

const all = migrationFiles().length
const quiet = (url: string) => ({ ...parseDatabaseUrl(url), onnotice: () => {} })

/** As the version of that schema knows them. */
const columnsOf = (sql: postgres.Sql) => sql<Column[]>`
	select c.table_name as table, c.column_name as column, c.data_type as type,
		c.is_nullable = 'NO' and c.column_default is null as required,
		(select f.relname || '.' || a.attname from pg_constraint k
			join pg_class t on t.oid = k.conrelid join pg_class f on f.oid = k.confrelid
			join pg_attribute own on own.attrelid = k.conrelid and own.attnum = k.conkey[1]
			join pg_attribute a on a.attrelid = k.confrelid and a.attnum = k.confkey[1]
			where k.contype = 'f' and t.relname = c.table_name and own.attname = c.column_name limit 1) as refers
	from information_schema.columns c join information_schema.tables t
		on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
	where c.table_schema = 'public' and c.table_name !~ '^journal_' order by c.table_name, c.ordinal_position`

/** Where a check asks for one of a few. */
const chosen: Record<string, string> = { 'deployments.state': 'stopped', 'schedules.missed': 'skip' }

function madeUp({ table, column, type }: Column, nth: string): string | number | boolean {
	const fixed = chosen[`${table}.${column}`]
	if (fixed !== undefined) return fixed
	if (column === 'run_id' || (table === 'runs' && column === 'id')) return newId('run')
	if (type === 'ARRAY') return '{}'
	if (type === 'json') return '{}'
	if (type === 'boolean') return false
	if (/int|double|numeric/.test(type)) return 1
	if (/timestamp/.test(type)) return new Date(0).toISOString()
	if (type === 'bytea') return '\\x00'
	return `${table} ${column} ${nth}`
}

/** One row in each table, of the columns that it must have; those that others refer to first. */
async function fill(sql: postgres.Sql, columns: Column[], nth: string): Promise<string[]> {
	const tables = [...new Set(columns.map(({ table }) => table))].filter((table) => table !== 'settings')
	const made = new Map<string, unknown>()
	const todo = new Set(tables)
	while (todo.size > 0) {
		const next = [...todo].find((table) =>
			columns.every(
				({ table: of, refers }) => of !== table || !refers || !todo.has(refers.split('.')[0] ?? ''),
			),
		)
		if (!next) throw new Error(`circle of references: ${[...todo].join(', ')}`)
		todo.delete(next)
		const own = columns.filter(
			({ table, required, column }) => table === next && (required || column === 'id'),
		)
		const values = own.map((column) => {
			const value = column.refers ? made.get(column.refers) : madeUp(column, nth)
			made.set(`${next}.${column.column}`, value)
			return value
		})
		const names = own.map(({ column }) => `"${column}"`).join()
		const marks = own.map(({ type }, at) => `$${at + 1}::text::${type === 'ARRAY' ? 'text[]' : type}`)
		const typed = marks.map((mark, at) => (own[at]?.type === 'ARRAY' ? `$${at + 1}` : mark)).join()
		await sql.unsafe(`insert into public."${next}" (${names}) values (${typed})`, values.map(String))
	}
	return tables
}

// Proves: start.released-schemas, start.expand-contract
test('each schema is brought up to the next with its rows, while the version before reads and writes on', async () => {
	const url = await emptyDatabase()
	try {
		const rows = new Map<string, number>()
		const count = (tables: string[]) => {
			for (const table of tables) rows.set(table, (rows.get(table) ?? 0) + 1)
		}
		await migrate(quiet(url), olderMigrations(temporary(), 1))
		for (let n = 1; n <= all; n++) {
			await onDatabase(url, async (sql) => {
				const columns = await columnsOf(sql)
				count(await fill(sql, columns, `of ${n}`))
				if (n === all) return
				await migrate(quiet(url), olderMigrations(temporary(), n + 1))
				// The version before writes the columns that it must, and reads those that it knows.
				count(await fill(sql, columns, `of ${n}, late`))
				for (const table of rows.keys()) {
					const known = columns.filter((column) => column.table === table).map(({ column }) => `"${column}"`)
					const read = await sql.unsafe(`select ${known.join()} from public."${table}"`)
					expect([n, table, read.length]).toEqual([n, table, rows.get(table)])
				}
			})
		}
		const found = await onDatabase(url, async (sql) =>
			Promise.all(
				[...rows.keys()].map(
					async (table) => [table, (await sql.unsafe(`select 1 from public."${table}"`)).length] as const,
				),
			),
		)
		expect(Object.fromEntries(found)).toEqual(Object.fromEntries(rows))
		expect(rows.size).toBeGreaterThan(25)
	} finally {
		await dropDatabase(url)
	}
})
