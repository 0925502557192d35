import { crc32, deflateRawSync } from 'node:zlib'
import { canonicalJson, sha256 } from '../../bundles/index.ts'

export interface RawEntry {
	name: string | Uint8Array
	content: string | Uint8Array
	/** Unix mode in the directory. */
	mode?: number
	/** Name in the file's own header, where it is to differ. */
	localName?: string
	/** Size told in the directory, where it is to be a lie. */
	declaredSize?: number
	flags?: number
	method?: number
	/** Lies at another entry's offset: index of that entry. */
	sharesBytesOf?: number
}

/** Writes a zip byte by byte, so that it can be as wrong as a test needs it. */
export function rawZip(entries: RawEntry[]): Buffer {
	const parts: Buffer[] = []
	const directory: Buffer[] = []
	const offsets: number[] = []
	let offset = 0
	for (const entry of entries) {
		const content = Buffer.from(entry.content as string)
		const method = entry.method ?? 8
		const packed = method === 8 ? deflateRawSync(content) : content
		const name = Buffer.from(entry.name as string)
		const localName = Buffer.from(entry.localName ?? (entry.name as string))
		const local = Buffer.alloc(30)
		local.writeUInt32LE(0x04034b50, 0)
		local.writeUInt16LE(method, 8)
		local.writeUInt32LE(crc32(content), 14)
		local.writeUInt32LE(packed.length, 18)
		local.writeUInt32LE(content.length, 22)
		local.writeUInt16LE(localName.length, 26)
		const at = entry.sharesBytesOf === undefined ? offset : (offsets[entry.sharesBytesOf] as number)
		offsets.push(at)
		if (at === offset) {
			parts.push(local, localName, packed)
			offset += local.length + localName.length + packed.length
		}
		const central = Buffer.alloc(46)
		central.writeUInt32LE(0x02014b50, 0)
		central.writeUInt16LE(0x031e, 4)
		central.writeUInt16LE(entry.flags ?? 0, 8)
		central.writeUInt16LE(method, 10)
		central.writeUInt32LE(crc32(content), 16)
		central.writeUInt32LE(packed.length, 20)
		central.writeUInt32LE(entry.declaredSize ?? content.length, 24)
		central.writeUInt16LE(name.length, 28)
		central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38)
		central.writeUInt32LE(at, 42)
		directory.push(central, name)
	}
	const size = directory.reduce((sum, part) => sum + part.length, 0)
	const end = Buffer.alloc(22)
	end.writeUInt32LE(0x06054b50, 0)
	end.writeUInt16LE(entries.length, 8)
	end.writeUInt16LE(entries.length, 10)
	end.writeUInt32LE(size, 12)
	end.writeUInt32LE(offset, 16)
	return Buffer.concat([...parts, ...directory, end])
}

/** A `bundle.json` that fits the files; `change` makes it not fit. */
export function manifestFor(files: Record<string, string>, change: Record<string, unknown> = {}): string {
	return canonicalJson({
		format: 1,
		berth: '0.1.0',
		agent: {
			name: 'small',
			description: '',
			model: { provider: 'openai', name: 'm' },
			prompt: 'prompt.md',
			inputs: { type: 'object', properties: {} },
			requires: [],
			limits: { steps: 50, seconds: 300, tokens: 500_000, memory_mb: 128 },
			tools: {},
		},
		commit: 'a'.repeat(40),
		files: Object.entries(files).map(([path, text]) => ({
			path,
			size: Buffer.byteLength(text),
			sha256: sha256(text),
		})),
		...change,
	})
}
