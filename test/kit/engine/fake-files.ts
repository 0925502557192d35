import { createHash } from 'node:crypto'
import type { FileHostCalls, FileInfo } from '../../../runtime/wire/files.ts'
import { FILE_CHUNK_BYTES } from '../../../runtime/wire/files.ts'

/** A host's files of one run, in this process. `add`: an input. */
export function fakeFiles() {
	const files = new Map<string, FileInfo & { bytes: Buffer }>()
	const made = new Map<string, string>()
	const add = (name: string, type: string, bytes: Buffer): FileInfo => {
		const sha256 = createHash('sha256').update(bytes).digest('hex')
		const info = { file: `file_${files.size + 1}`, name, type, size: bytes.length, sha256 }
		files.set(info.file, { ...info, bytes })
		return info
	}
	const infoOf = (id: string) => {
		const { bytes: _, ...info } = files.get(id) as FileInfo & { bytes: Buffer }
		return info
	}
	const calls: FileHostCalls = {
		'files.info': ({ files: ids }) => ({
			files: ids
				.filter((id) => files.has(id))
				.map((id) => ({ ...infoOf(id), url: `https://host.example/files/${id}` })),
		}),
		'files.chunk': ({ file, n }) => {
			const { bytes } = files.get(file) ?? {}
			if (!bytes) throw Object.assign(new Error(`no ${file}`), { code: 'not_found' })
			return bytes.subarray(n * FILE_CHUNK_BYTES, (n + 1) * FILE_CHUNK_BYTES)
		},
		'files.put': ({ effect, position, name, type, base64 }) => {
			const key = `${effect}/${position}`
			const id = made.get(key) ?? add(name, type, Buffer.from(base64, 'base64')).file
			made.set(key, id)
			return { file: infoOf(id) }
		},
	}
	return { add, calls, files }
}
