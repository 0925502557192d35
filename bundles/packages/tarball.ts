/** Reads what npm publishes: a gzipped tar. Links and all that is no file are left out, as npm does. */
import { gunzipSync } from 'node:zlib'

const BLOCK = 512
const TARBALL_MAX_BYTES = 256 * 1024 * 1024
const TARBALL_FILES_MAX = 50_000

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
const untilNul = (bytes: Uint8Array) => text(bytes.includes(0) ? bytes.subarray(0, bytes.indexOf(0)) : bytes)

/** Files by their path inside the package. Throws where it is no such file. */
export function readTarball(packed: Uint8Array): Map<string, Uint8Array> {
	const bytes = gunzipSync(packed, { maxOutputLength: TARBALL_MAX_BYTES })
	const files = new Map<string, Uint8Array>()
	/** Of the next entry, where its header has no room for it. */
	let longName: string | undefined
	for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
		const header = bytes.subarray(at, at + BLOCK)
		const field = (from: number, to: number) => untilNul(header.subarray(from, to))
		const size = Number.parseInt(field(124, 136).trim() || '0', 8)
		const content = bytes.subarray(at + BLOCK, at + BLOCK + size)
		if (!(size >= 0) || content.length < size) throw new Error('is cut off')
		at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
		const type = field(156, 157)
		if (type === 'L') longName = untilNul(content)
		else if (type === 'x') longName = paxPath(text(content)) ?? longName
		else if (type !== 'g') {
			const prefix = field(345, 500)
			const name = longName ?? (prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`)
			longName = undefined
			if (type !== '' && type !== '0') continue
			// The first folder is `package` by habit, and has no meaning.
			files.set(name.replace(/^(?:\.\/)?[^/]*\//, ''), content)
			if (files.size > TARBALL_FILES_MAX) throw new Error(`has over ${TARBALL_FILES_MAX} files`)
		}
	}
	return files
}

/** `30 path=package/…\n`: the number counts the bytes of the record. */
const paxPath = (records: string) => /^\d+ path=(.*)$/m.exec(records)?.[1]
