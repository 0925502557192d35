import { and, desc, eq } from 'drizzle-orm'
import type { MemoryEntry } from '../../runtime/wire/host-calls.ts'
import { query, type Rows, read, type Sql, tables } from '../db/index.ts'

type FileRow = Pick<Rows['memory_versions'], 'path' | 'version' | 'size' | 'actor'> & {
	content: string
	at: Date
	sha256: string
}

/** The file at `path` and everything below it; all files for an empty path. In order. */
export async function listMemory(
	sql: Sql,
	deployment: string,
	path: string,
): Promise<(MemoryEntry & { at: Date })[]> {
	const folder = path.endsWith('/') ? path : `${path}/`
	return sql<(MemoryEntry & { at: Date })[]>`
		select path, size, version, updated_at as at from memory
		where deployment_id = ${deployment}
			${path === '' ? sql`` : sql`and (path = ${path} or starts_with(path, ${folder}))`}
		order by path collate "C"`
}

/** As it is now, or as it was in a version that is still kept. */
export async function readMemory(
	sql: Sql,
	deployment: string,
	path: string,
	version?: number,
): Promise<FileRow | null> {
	const [row] = await sql<FileRow[]>`
		select v.path, v.version, v.size, v.content, v.created_at as at, v.actor, v.sha256
		from memory_versions v
		where v.deployment_id = ${deployment} and v.path = ${path} and v.content is not null
			and v.version = ${version ?? sql`(select version from memory where deployment_id = ${deployment} and path = ${path})`}`
	return row ?? null
}

export type VersionRow = Omit<FileRow, 'content' | 'sha256'> & { sha256: string | null }

/** Newest first; a deletion is a version without content. */
export async function listVersions(sql: Sql, deployment: string, path: string): Promise<VersionRow[]> {
	const file = tables.memory_versions
	const { version, size, created_at: at, actor, sha256 } = file
	return read(
		sql,
		query
			.select({ path: file.path, version, size, at, actor, sha256 })
			.from(file)
			.where(and(eq(file.deployment_id, deployment), eq(file.path, path)))
			.orderBy(desc(version)),
	)
}
