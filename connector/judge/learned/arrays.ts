/**
 * Weights on disk: a JSON head (names, types, lengths, settings) and then the typed arrays, each aligned to eight
 * bytes. Reading is one read and a view per array: nothing is parsed but the head.
 */
import { readFileSync, writeFileSync } from 'node:fs'

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
	if (bytes.readUInt32LE(0) !== MAGIC) throw new Error(`${file} holds no weights.`)
	const length = bytes.readUInt32LE(4)
	const { meta, list } = JSON.parse(bytes.toString('utf8', PREFIX_BYTES, PREFIX_BYTES + length))
	const arrays: Record<string, Numbers> = {}
	let offset = PREFIX_BYTES + align(length)
	for (const one of list as { name: string; type: Type; length: number }[]) {
		const data = new TYPES[one.type](bytes.buffer as ArrayBuffer, bytes.byteOffset + offset, one.length)
		arrays[one.name] = data
		offset += align(data.byteLength)
	}
	return { meta, arrays }
}

function typeOf(data: Numbers): Type {
	return (Object.keys(TYPES) as Type[]).find((type) => data instanceof TYPES[type])!
}
