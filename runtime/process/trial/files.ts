import { createHash } from 'node:crypto'
import { FILE_CHUNK_BYTES, type FileHostCalls, type FileInfo } from '../../wire/files.ts'

export interface TrialFile {
	file: string
	name: string
	type: string
	bytes: Uint8Array
}

/** Files as the host keeps them, of one run. */
export function trialFiles(given: TrialFile[]) {
	const held = new Map<string, { info: FileInfo; bytes: Uint8Array }>()
	const made = new Map<string, string>()
	const add = ({ file, name, type, bytes }: TrialFile): FileInfo => {
		const sha256 = createHash('sha256').update(bytes).digest('hex')
		const info = { file, name, type, size: bytes.length, sha256 }
		held.set(file, { info, bytes })
		return info
	}
	const calls: FileHostCalls = {
		'files.info': ({ files }) => ({
			files: files.flatMap((id) => {
				const known = held.get(id)
				return known ? [{ ...known.info, url: `https://berth.invalid/files/${id}` }] : []
			}),
		}),
		'files.chunk': ({ file, n }) => {
			const { bytes } = held.get(file) ?? {}
			if (!bytes) throw Object.assign(new Error(`no ${file}`), { code: 'not_found' })
			return bytes.subarray(n * FILE_CHUNK_BYTES, (n + 1) * FILE_CHUNK_BYTES)
		},
		'files.put': ({ effect, position, name, type, base64 }) => {
			const key = `${effect} ${position}`
			const file = made.get(key) ?? `file_made_${made.size + 1}`
			made.set(key, file)
			return { file: held.get(file)?.info ?? add({ file, name, type, bytes: Buffer.from(base64, 'base64') }) }
		},
	}
	for (const file of given) add(file)
	return {
		calls,
		/** Those that the run made, by name. */
		made: () =>
			Object.fromEntries(
				[...made.values()].flatMap((id) => {
					const known = held.get(id)
					return known ? [[known.info.name, new Uint8Array(known.bytes)]] : []
				}),
			),
	}
}
