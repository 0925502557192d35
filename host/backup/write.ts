import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type postgres from 'postgres'
import { version } from '../lib/root.ts'
import { openSource, type Where } from './connect.ts'
import { BackupError } from './error.ts'
import { type Manifest, manifestFile, masterKeyFile, sumsFile, tableFile } from './manifest.ts'
import { type Read, readSchema } from './schema.ts'

export interface BackupOptions {
	where: Where
	folder: string
	/** The master key, encrypted, as a document of its own; null: it is left out. */
	sealKey: ((check: string) => object) | null
	onTable?: (name: string) => void
}

/** Fast, and a quarter of the size: rows are mostly JSON. */
const level = 1

/**
 * All tables as of one moment, while hosts may run: one read-only transaction sees one snapshot, and streams each table to
 * its file. The folder gets its name when it is whole.
 */
export async function backup({ where, folder, sealKey, onTable }: BackupOptions): Promise<Manifest> {
	const target = resolve(folder)
	if (existsSync(target) && readdirSync(target).length > 0)
		throw new BackupError(`${target} is not empty. Name a folder that does not exist.`)
	const source = await openSource(where)
	try {
		await mkdir(dirname(target), { recursive: true })
		const partial = await mkdtemp(join(dirname(target), `${basename(target)}.partial-`))
		try {
			const manifest = await write(source.sql, partial, { where, folder, sealKey, onTable })
			await rename(partial, target)
			return manifest
		} catch (error) {
			await rm(partial, { recursive: true, force: true })
			throw error
		}
	} finally {
		await source.close()
	}
}

async function write(sql: postgres.Sql, folder: string, options: BackupOptions): Promise<Manifest> {
	const { where, sealKey, onTable } = options
	const sums: string[] = []
	const put = async (name: string, content: Readable): Promise<number> => {
		const hash = createHash('sha256')
		let bytes = 0
		const file = createWriteStream(join(folder, name), { flags: 'wx', mode: 0o600, flush: true })
		await pipeline(
			content,
			async function* (chunks: AsyncIterable<Buffer>) {
				for await (const chunk of chunks) {
					hash.update(chunk)
					bytes += chunk.length
					yield chunk
				}
			},
			file,
		)
		sums.push(`${hash.digest('hex')}  ${name}\n`)
		return bytes
	}
	const putJson = (name: string, value: object) =>
		put(name, Readable.from([Buffer.from(`${JSON.stringify(value, null, '\t')}\n`)]))

	await mkdir(join(folder, 'tables'), { mode: 0o700 })
	const manifest = await inSnapshot(sql, async (tx) => {
		const schema = await readSchema(tx)
		if (schema.masterKeyCheck !== null && sealKey)
			await putJson(masterKeyFile, sealKey(schema.masterKeyCheck))
		const tables: Manifest['tables'] = []
		for (const { name, columns } of schema.tables) {
			onTable?.(name)
			let rows = 0
			const list = columns.map((column) => `"${column}"`).join()
			const copied = await tx.unsafe(`copy (select ${list} from public."${name}") to stdout`).readable()
			const text = async function* () {
				for await (const chunk of copied as AsyncIterable<Buffer>) {
					rows += linesIn(chunk)
					yield chunk
				}
			}
			const packed = createGzip({ level })
			const [bytes] = await Promise.all([put(tableFile(name), packed), pipeline(text, packed)])
			tables.push({ name, columns, rows, bytes })
		}
		return manifestFrom(schema, where, tables)
	})
	await putJson(manifestFile, manifest)
	await put(sumsFile, Readable.from([Buffer.from(sums.join(''))]))
	return manifest
}

const manifestFrom = (schema: Read, where: Where, tables: Manifest['tables']): Manifest => ({
	format: 'berth backup',
	format_version: 1,
	made_at: new Date().toISOString(),
	berth: version,
	database: where.DATABASE_URL ? 'external' : 'embedded',
	postgres: schema.postgres,
	migrations: schema.migrations,
	master_key_check: schema.masterKeyCheck,
	tables,
})

/** COPY writes a row a line; a line feed within a value is written `\n`. */
function linesIn(chunk: Buffer): number {
	let lines = 0
	for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
	return lines
}

/** Rejects with what the work failed for, not with what its rollback met on a connection in the middle of a COPY. */
async function inSnapshot<T>(
	sql: postgres.Sql,
	work: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
	let failure: unknown
	try {
		return (await sql.begin('isolation level repeatable read read only', async (tx) => {
			await tx`set local statement_timeout = 0`
			await tx`set local idle_in_transaction_session_timeout = 0`
			try {
				return await work(tx)
			} catch (error) {
				failure = error
				throw error
			}
		})) as T
	} catch (error) {
		throw failure ?? error
	}
}
