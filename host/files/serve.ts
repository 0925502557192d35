import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FILE_CHUNK_BYTES } from '../../runtime/wire/files.ts'
import type { Sql } from '../db/index.ts'
import { namesTag } from '../http/conditions.ts'
import { Problem } from '../http/errors.ts'
import { servedAs } from './kind.ts'
import { type FileRow, readChunk } from './read.ts'

/** For a browser it is a download, whatever is in it. */
export function sendFile(
	sql: Sql,
	request: FastifyRequest,
	reply: FastifyReply,
	file: FileRow,
): FastifyReply {
	const { size, name, type } = file
	const etag = `"${file.sha256}"`
	reply.headers({
		etag,
		'accept-ranges': 'bytes',
		'content-type': servedAs(type),
		'content-disposition': `attachment; filename="${plain(name)}"; filename*=UTF-8''${encoded(name)}`,
		'content-security-policy': "default-src 'none'; sandbox",
		'cache-control': 'private, no-cache',
	})
	const { range, 'if-match': wanted, 'if-none-match': known, 'if-range': only } = request.headers
	if (wanted !== undefined && !namesTag(wanted, etag))
		throw new Problem('precondition_failed', 'The file is not one that If-Match names.')
	if (known !== undefined && namesTag(known, etag, { weak: true })) return reply.code(304).send()
	const part = only === undefined || only === etag ? rangeOf(range, size) : null
	if (part === 'none')
		throw new Problem('invalid_request', `The file has ${size} bytes.`, {
			status: 416,
			headers: { 'content-range': `bytes */${size}` },
		})
	const { from, to } = part ?? { from: 0, to: size }
	reply.header('content-length', String(to - from))
	if (part) reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${size}`)
	return reply.send(Readable.from(bytesOf(sql, file.blob, from, to), { objectMode: false }))
}

async function* bytesOf(sql: Sql, blob: string, from: number, to: number): AsyncGenerator<Buffer> {
	for (let n = Math.floor(from / FILE_CHUNK_BYTES); n * FILE_CHUNK_BYTES < to; n++) {
		const chunk = await readChunk(sql, blob, n)
		if (!chunk) throw new Error('a file ended while it was read')
		const begin = n * FILE_CHUNK_BYTES
		yield chunk.subarray(Math.max(0, from - begin), to - begin)
	}
}

/** One range; null: the whole file, as where several are asked for. `to` is not included. */
function rangeOf(text: string | undefined, size: number): { from: number; to: number } | 'none' | null {
	const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text ?? '') ?? []
	if (first === '' && last === '') return null
	const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
	const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
	return from < to ? { from, to } : 'none'
}

const plain = (name: string) => name.replace(/[^\w .()-]/g, '_')
const encoded = (name: string) =>
	encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
