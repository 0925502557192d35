import { createHash } from 'node:crypto'
import type { Sql, Tx } from '../db/index.ts'
import { lockTotals } from './change.ts'

/** The files of the first version's `memory/`, as the first run finds them; they have been checked by `requireSeed`. */
export async function seedMemory(
	tx: Tx,
	deployment: string,
	account: string,
	seed: Record<string, string>,
): Promise<void> {
	const paths = Object.keys(seed).sort()
	if (paths.length === 0) return
	const texts = paths.map((path) => seed[path] as string)
	const sizes = texts.map((text) => Buffer.byteLength(text))
	const digests = texts.map((text) => createHash('sha256').update(text).digest('hex'))
	await tx`
		with f as (
			select * from unnest(${paths}::text[], ${texts}::text[], ${sizes}::int[], ${digests}::text[])
				with ordinality as f(path, content, size, sha256, version)
		), files as (
			insert into memory (deployment_id, path, version, size)
			select ${deployment}, path, version, size from f
		), totals as (
			insert into memory_totals (deployment_id, files, bytes, writes)
			select ${deployment}, count(*), sum(size), count(*) from f
		)
		insert into memory_versions (deployment_id, version, path, content, size, sha256, actor)
		select ${deployment}, version, path, content, size, sha256, ${account} from f`
}

/** Every file, and every version of it. Answers how many files there were. */
export async function eraseMemory(sql: Sql, deployment: string): Promise<number> {
	return sql.begin(async (tx) => {
		const { files } = await lockTotals(tx, deployment)
		await tx`delete from memory where deployment_id = ${deployment}`
		await tx`delete from memory_versions where deployment_id = ${deployment}`
		// `writes` stays: a version that somebody remembers must never come back as another.
		await tx`update memory_totals set files = 0, bytes = 0 where deployment_id = ${deployment}`
		return files
	})
}
