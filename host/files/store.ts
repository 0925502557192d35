import { createHash } from 'node:crypto'
import { FILE_MAX_KB } from '../../bundles/index.ts'
import { FILE_CHUNK_BYTES, type FileInfo } from '../../runtime/wire/files.ts'
import type { Sql, Tx } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import { headBytes, isText, kindOf, nameOf } from './kind.ts'

const chunkBytes = FILE_CHUNK_BYTES
const fileMaxBytes = FILE_MAX_KB * 1024
/** All files of an account, each digest once. */
const accountMaxBytes = 2 * 1024 ** 3
/** Of one deployment, that no run has yet: whoever has a run key can upload them. */
const unusedMax = { files: 1000, bytes: 512 * 1024 * 1024 }
/** A file that no run has. */
const unusedHours = 24

export interface NewFile {
	account: string
	deployment: string
	lineage: string | null
	name: string
	/** Media type, as its sender says. */
	type: string | undefined
	bytes: AsyncIterable<Uint8Array>
	/** A run makes it, and has it from the start. */
	by?: { run: string; effect: number; position: number }
}

/** Stores a file as its bytes come. One that is cut off, refused or too large leaves nothing. */
export async function storeFile(sql: Sql, file: NewFile): Promise<FileInfo> {
	await requireRoom(sql, file, { before: true })
	const blob = newId('blob')
	await sql`insert into file_blobs (id, account_id) values (${blob}, ${file.account})`
	try {
		const { type, size, sha256 } = await storeBytes(sql, blob, file)
		const info = { file: newId('file'), name: nameOf(file.name), type, size, sha256 }
		await again(() => sql.begin((tx) => own(tx, blob, file, info)))
		return info
	} catch (error) {
		// What cannot be deleted now is swept later.
		await sql`delete from file_blobs where id = ${blob} and refs = 0`.catch(() => undefined)
		throw error
	}
}

async function storeBytes(sql: Sql, blob: string, { type: said, bytes }: NewFile) {
	const hash = createHash('sha256')
	let [n, size] = [0, 0]
	let type: string | undefined
	let text: TextDecoder | undefined
	for await (const chunk of chunksOf(bytes)) {
		if (n === 0) {
			type = kindOf(said, chunk.subarray(0, headBytes))
			if (isText(type)) text = new TextDecoder('utf-8', { fatal: true })
		}
		size += chunk.length
		if (size > fileMaxBytes) throw tooLarge()
		requireText(text, chunk, true)
		hash.update(chunk)
		await sql`insert into file_chunks (blob_id, n, bytes) values (${blob}, ${n}, ${chunk})`
		n++
	}
	requireText(text, undefined, false)
	return { type: type ?? kindOf(said, Buffer.alloc(0)), size, sha256: hash.digest('hex') }
}

function requireText(text: TextDecoder | undefined, chunk: Buffer | undefined, stream: boolean): void {
	try {
		text?.decode(chunk, { stream })
	} catch {
		throw new Problem('invalid_request', 'The file is sent as text and is not UTF-8.')
	}
}

export const tooLarge = () =>
	new Problem('payload_too_large', `A file has ${FILE_MAX_KB / 1024} MiB at most.`, {
		headers: { connection: 'close' },
	})

/** All but the last of one size. */
async function* chunksOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
	let parts: Uint8Array[] = []
	let held = 0
	for await (const part of bytes) {
		parts.push(part)
		held += part.length
		if (held < chunkBytes) continue
		const all = Buffer.concat(parts)
		let at = 0
		for (; all.length - at >= chunkBytes; at += chunkBytes) yield all.subarray(at, at + chunkBytes)
		parts = [all.subarray(at)]
		held = all.length - at
	}
	if (held > 0) yield Buffer.concat(parts)
}

/** The bytes that the account has already are not kept twice; of another account nobody hears. */
async function own(tx: Tx, blob: string, file: NewFile, row: FileInfo): Promise<void> {
	const { account, deployment, lineage, by } = file
	// Files of one account are counted one after the other, on whatever host.
	await tx`select pg_advisory_xact_lock(hashtextextended(${`files of ${account}`}, 0))`
	const [known] = await tx<{ id: string }[]>`
		update file_blobs set refs = refs + 1 where account_id = ${account} and sha256 = ${row.sha256} returning id`
	if (!known) await tx`update file_blobs set refs = 1, sha256 = ${row.sha256} where id = ${blob}`
	await tx`
		insert into files (id, account_id, deployment_id, lineage, blob_id, name, type, size, sha256, run_id, effect, position,
			expires_at)
		values (${row.file}, ${account}, ${deployment}, ${lineage}, ${known?.id ?? blob}, ${row.name}, ${row.type}, ${row.size},
			${row.sha256}, ${by?.run ?? null}, ${by?.effect ?? null}, ${by?.position ?? null},
			now() + make_interval(hours => ${by ? 0 : unusedHours}))`
	if (known) await tx`delete from file_blobs where id = ${blob}`
	if (by) await tx`insert into run_files (run_id, file_id) values (${by.run}, ${row.file})`
	await requireRoom(tx, file, { before: false })
}

/** The same bytes twice at once: the second finds those of the first. */
async function again<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work()
	} catch (error) {
		if ((error as { code?: unknown }).code !== uniqueViolation) throw error
		return work()
	}
}
const uniqueViolation = '23505'

/** `before` the bytes come, so that none are taken for nothing; then with the file itself, which decides. */
async function requireRoom(
	sql: Sql | Tx,
	{ account, deployment, by }: NewFile,
	{ before }: { before: boolean },
): Promise<void> {
	const [used] = await sql<{ bytes: number; unused: number; count: number }[]>`
		select
			(select coalesce(sum(size), 0)::bigint from
				(select distinct sha256, size from files where account_id = ${account}) d) as bytes,
			coalesce(sum(f.size), 0)::bigint as unused, count(*)::int as count
		from files f
		where f.deployment_id = ${deployment} and f.expires_at > now()
			and not exists (select 1 from run_files l where l.file_id = f.id)`
	const { bytes, unused, count } = used as NonNullable<typeof used>
	const full = (is: number, most: number) => (before ? is >= most : is > most)
	if (full(bytes, accountMaxBytes))
		throw new Problem(
			'payload_too_large',
			'The files of the account would be over 2 GiB. They end with their runs.',
		)
	if (!by && (full(count, unusedMax.files) || full(unused, unusedMax.bytes)))
		throw new Problem(
			'payload_too_large',
			`The deployment would have more than ${unusedMax.files} files or 512 MiB that no run has yet. They are deleted after ${unusedHours} hours.`,
		)
}
