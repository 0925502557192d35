/**
 * Weights on disk: a JSON head (names, types, lengths, settings) and then the typed arrays, each aligned to eight
 * bytes. Reading is one read and a view per array: nothing is parsed but the head.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const TYPES = {
	i8: Int8Array,
	u8: Uint8Array,
	u16: Uint16Array,
	i16: Int16Array,
	u32: Uint32Array,
	f32: Float32Array,
}
type Type = keyof typeof TYPES
export type Numbers = Int8Array | Uint8Array | Uint16Array | Int16Array | Uint32Array | Float32Array

export interface Weights {
	meta: Record<string, unknown>
	arrays: Record<string, Numbers>
}

const MAGIC = 0x31475742
const PREFIX_BYTES = 8
const align = (bytes: number) => (bytes + 7) & ~7

export function saveWeights(file: string, { meta, arrays }: Weights): number {
	const list = Object.entries(arrays).map(([name, data]) => ({
		name,
		type: typeOf(data),
		length: data.length,
	}))
	const head = Buffer.from(JSON.stringify({ meta, list }))
	const parts: Buffer[] = [Buffer.alloc(PREFIX_BYTES), head, Buffer.alloc(align(head.length) - head.length)]
	parts[0]!.writeUInt32LE(MAGIC, 0)
	parts[0]!.writeUInt32LE(head.length, 4)
	for (const data of Object.values(arrays)) {
		parts.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
		parts.push(Buffer.alloc(align(data.byteLength) - data.byteLength))
	}
	const bytes = Buffer.concat(parts)
	writeFileSync(file, bytes)
	return bytes.length
}

export function loadWeights(file: string | URL): Weights {
	const read = readFileSync(file)
	// A buffer from the pool may start at any byte; typed arrays may not.
	const bytes = read.byteOffset % 8 ? Buffer.from(new Uint8Array(read).buffer) : read
	const { meta, places } = headOf(file, bytes, bytes.length)
	const arrays: Record<string, Numbers> = {}
	for (const { name, type, length, offset } of places)
		arrays[name] = new TYPES[type](bytes.buffer as ArrayBuffer, bytes.byteOffset + offset, length)
	return { meta, arrays }
}

/** Reads only the head, and holds the length of the file against it. Throws one sentence for the operator. */
export function checkWeights(file: string | URL): void {
	const opened = openSync(file, 'r')
	try {
		const { size } = fstatSync(opened)
		const part = (units: number) => {
			const bytes = Buffer.alloc(Math.min(units, size))
			return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, 0))
		}
		const prefix = part(PREFIX_BYTES)
		headOf(file, prefix.length < PREFIX_BYTES ? prefix : part(PREFIX_BYTES + prefix.readUInt32LE(4)), size)
	} finally {
		closeSync(opened)
	}
}

interface Head {
	meta: Record<string, unknown>
	places: { name: string; type: Type; length: number; offset: number }[]
}

function headOf(file: string | URL, bytes: Buffer, size: number): Head {
	if (bytes.length < PREFIX_BYTES || bytes.readUInt32LE(0) !== MAGIC)
		throw damaged(file, 'it does not begin as weights do')
	const length = bytes.readUInt32LE(4)
	const { meta, list } = parsed(file, bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + length))
	let offset = PREFIX_BYTES + align(length)
	const places = list.map((one) => {
		const place = { ...one, offset }
		offset += align(one.length * TYPES[one.type].BYTES_PER_ELEMENT)
		return place
	})
	if (size !== offset) throw damaged(file, `it has ${size} bytes in place of ${offset}`)
	return { meta, places }
}

function parsed(file: string | URL, head: Buffer): Pick<Head, 'meta'> & { list: Head['places'] } {
	try {
		return JSON.parse(head.toString('utf8'))
	} catch {
		throw damaged(file, 'its head cannot be read')
	}
}

const damaged = (file: string | URL, how: string): Error =>
	new Error(
		`The judge’s weights in ${file instanceof URL ? fileURLToPath(file) : file} are damaged: ${how}. Put back the file that came with Berth.`,
	)

function typeOf(data: Numbers): Type {
	return (Object.keys(TYPES) as Type[]).find((type) => data instanceof TYPES[type])!
}
