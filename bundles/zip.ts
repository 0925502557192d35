import { inflateRawSync } from 'node:zlib'
import { type BundleFault, fault } from './fault.ts'
import { FILES_MAX, UNPACKED_MAX_BYTES } from './format.ts'
import { collisionKey, pathFault } from './path.ts'

const END = 0x06054b50
const END_BYTES = 22
const CENTRAL = 0x02014b50
const CENTRAL_BYTES = 46
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1
const FILE_TYPE = 0xf000
const REGULAR = 0x8000
const ZIP64 = 0xffffffff

interface Entry {
	name: string
	method: number
	flags: number
	packed: number
	offset: number
	/** Unix mode where the writer gave one. */
	mode: number
}

/**
 * Unpacks a zip from strangers in memory. Sizes it declares are not believed: inflating stops at the limit. Strict
 * where readers differ, so that no two programs see two contents: nothing before or after, no archive in parts, names
 * in the directory as at the file, no two files from the same bytes.
 */
export function unzip(bytes: Uint8Array): { files: Map<string, Uint8Array>; faults: BundleFault[] } {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
	const files = new Map<string, Uint8Array>()
	const entries = directory(buffer)
	if (typeof entries === 'string') return { files, faults: [fault('', entries)] }
	const faults = entryFaults(entries)
	if (faults.length > 0) return { files, faults }

	let left = UNPACKED_MAX_BYTES
	let end = 0
	for (const entry of entries.sort((a, b) => a.offset - b.offset)) {
		const data = locate(buffer, entry, end)
		if (typeof data === 'string') return { files, faults: [...faults, fault(entry.name, data)] }
		end = data.byteOffset - buffer.byteOffset + data.length
		try {
			const content =
				entry.method === STORED ? data : inflateRawSync(data, { maxOutputLength: Math.max(left, 1) })
			left -= content.length
			if (left < 0) throw Object.assign(new Error(), { code: 'ERR_BUFFER_TOO_LARGE' })
			files.set(entry.name, content)
		} catch (error) {
			const large = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
			if (large)
				return {
					files,
					faults: [...faults, fault('', `unpacks to over ${UNPACKED_MAX_BYTES / 1024 / 1024} MiB`)],
				}
			faults.push(fault(entry.name, 'is not readable: its compressed data are damaged'))
		}
	}
	return { files, faults }
}

function directory(buffer: Buffer): Entry[] | string {
	const at = buffer.length - END_BYTES
	if (at < 0 || buffer.readUInt32LE(at) !== END) return 'is not a zip file'
	const count = buffer.readUInt16LE(at + 10)
	const size = buffer.readUInt32LE(at + 12)
	const start = buffer.readUInt32LE(at + 16)
	const split = buffer.readUInt32LE(at + 4) !== 0 || buffer.readUInt16LE(at + 8) !== count
	if (split || start === ZIP64 || start + size !== at)
		return 'is a zip file in parts, or has something after its directory'
	if (count > FILES_MAX + 1) return `holds over ${FILES_MAX} files`
	const entries: Entry[] = []
	let cursor = start
	for (let index = 0; index < count; index++) {
		if (cursor + CENTRAL_BYTES > at || buffer.readUInt32LE(cursor) !== CENTRAL)
			return 'has a damaged directory'
		const nameBytes = buffer.readUInt16LE(cursor + 28)
		const next =
			cursor + CENTRAL_BYTES + nameBytes + buffer.readUInt16LE(cursor + 30) + buffer.readUInt16LE(cursor + 32)
		if (next > at) return 'has a damaged directory'
		const name = utf8(buffer.subarray(cursor + CENTRAL_BYTES, cursor + CENTRAL_BYTES + nameBytes))
		if (name === null) return 'holds a name that is not UTF-8'
		entries.push({
			name,
			flags: buffer.readUInt16LE(cursor + 8),
			method: buffer.readUInt16LE(cursor + 10),
			packed: buffer.readUInt32LE(cursor + 20),
			mode: buffer.readUInt32LE(cursor + 38) >>> 16,
			offset: buffer.readUInt32LE(cursor + 42),
		})
		cursor = next
	}
	return cursor === at ? entries : 'has a damaged directory'
}

function entryFaults(entries: Entry[]): BundleFault[] {
	const faults: BundleFault[] = []
	const taken = new Map<string, string>()
	for (const { name, flags, method, mode } of entries) {
		const wrong = pathFault(name)
		if (wrong) faults.push(fault(name, wrong))
		const twin = taken.get(collisionKey(name))
		if (twin !== undefined)
			faults.push(
				fault(
					name,
					twin === name ? 'is there twice' : `would be one file with ${twin} where case is ignored`,
				),
			)
		taken.set(collisionKey(name), name)
		const type = mode & FILE_TYPE
		if (type !== 0 && type !== REGULAR) faults.push(fault(name, 'is a link or another thing that is no file'))
		if (flags & ENCRYPTED_FLAG) faults.push(fault(name, 'is encrypted'))
		if (method !== STORED && method !== DEFLATED)
			faults.push(fault(name, `is compressed in a way (${method}) that bundles do not use`))
	}
	return faults
}

/** The file's packed bytes, or what is wrong with where they lie. `from`: end of the file before. */
function locate(buffer: Buffer, { name, offset, packed, method }: Entry, from: number): Buffer | string {
	if (offset < from) return 'shares its bytes with another file'
	if (offset + LOCAL_BYTES > buffer.length || buffer.readUInt32LE(offset) !== LOCAL)
		return 'has no header of its own'
	const nameEnd = offset + LOCAL_BYTES + buffer.readUInt16LE(offset + 26)
	const start = nameEnd + buffer.readUInt16LE(offset + 28)
	const same =
		utf8(buffer.subarray(offset + LOCAL_BYTES, nameEnd)) === name &&
		buffer.readUInt16LE(offset + 8) === method
	if (!same) return 'is named otherwise in its own header'
	if (start + packed > buffer.length) return 'ends before its data do'
	return buffer.subarray(start, start + packed)
}

function utf8(bytes: Uint8Array): string | null {
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
	} catch {
		return null
	}
}
