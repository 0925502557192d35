import type { FileInfo } from '../../runtime/wire/files.ts'
import type { Sql } from '../db/index.ts'
import type { KnownDeployment } from '../deployments/index.ts'
import { isId } from '../lib/ids.ts'

/** Whose files: `lineage` undefined: all of the deployment. */
export interface FileSight {
	deployment: Pick<KnownDeployment, 'id' | 'keptDays'>
	lineage: string | null | undefined
}

export interface FileRow extends FileInfo {
	blob: string
}

const infoOf = (sql: Sql) => sql`f.id as file, f.name, f.type, f.size, f.sha256`

/** Of a deployment, as long as a run that is kept has them, or as long as one without a run is kept. */
export async function findFiles(
	sql: Sql,
	{ deployment, lineage }: FileSight,
	ids: string[],
): Promise<FileRow[]> {
	const good = ids.filter((id) => isId('file', id))
	if (good.length === 0) return []
	const days = deployment.keptDays
	return sql<FileRow[]>`
		select ${infoOf(sql)}, f.blob_id as blob from files f
		where f.id = any(${good}) and f.deployment_id = ${deployment.id}
			${lineage === undefined ? sql`` : sql`and f.lineage is not distinct from ${lineage}`}
			and (f.expires_at > now() or exists (
				select 1 from run_files l join runs r on r.id = l.run_id where l.file_id = f.id
					and (r.completed_at <= now() - make_interval(days => ${days}::int)) is not true))`
}

/** Of those that the run has. */
export async function filesOfRun(sql: Sql, run: string, ids: string[]): Promise<FileRow[]> {
	return sql<FileRow[]>`
		select ${infoOf(sql)}, f.blob_id as blob from run_files l join files f on f.id = l.file_id
		where l.run_id = ${run} and f.id = any(${ids})`
}

/** That an effect of the run has made before. */
export async function madeBefore(
	sql: Sql,
	{ run, effect, position }: { run: string; effect: number; position: number },
): Promise<FileInfo | null> {
	const [row] = await sql<FileInfo[]>`
		select ${infoOf(sql)} from files f
		where f.run_id = ${run} and f.effect = ${effect} and f.position = ${position}`
	return row ?? null
}

export async function madeBy(sql: Sql, run: string): Promise<number> {
	const [row] = await sql<{ made: number }[]>`select count(*)::int as made from files where run_id = ${run}`
	return row?.made ?? 0
}

export async function readChunk(sql: Sql, blob: string, n: number): Promise<Buffer | null> {
	const [row] = await sql<{ bytes: Buffer }[]>`
		select bytes from file_chunks where blob_id = ${blob} and n = ${n}`
	return row?.bytes ?? null
}
