/** Bytes of files, fetched from the host part by part. What was read last is kept for a while: a conversation shows it again. */
import { hash } from 'node:crypto'
import { untilDone } from '../../lib/retry.ts'
import { FILE_CHUNK_BYTES, type FileInfo } from '../../wire/files.ts'
import { createGate } from './gate.ts'
import type { HostLink } from './recorder.ts'

const KEPT_BYTES = 64 * 1024 * 1024
/** Files at once: each has one part on the pipe. */
const LOADS = 4
/** In model requests under way, on this host. Each byte is there about three times: here, in the body, on its way. */
const SHOWN_BYTES = 128 * 1024 * 1024
const ANSWER_MS = 30_000

export interface FileStore {
	/** Rejects where the run does not have the file, or the host is gone. */
	bytes(run: string, file: FileInfo): Promise<Buffer>
	/** Waits for room for so many bytes in requests; the answer gives it back. */
	room(bytes: number): Promise<() => void>
}

const stores = new WeakMap<HostLink, FileStore>()

export function fileStore(host: HostLink): FileStore {
	let store = stores.get(host)
	if (!store) {
		store = createFileStore(host)
		stores.set(host, store)
	}
	return store
}

function createFileStore(host: HostLink): FileStore {
	/** By digest, the oldest first. Whoever asks has a run that has the file. */
	const kept = new Map<string, Buffer>()
	let keptBytes = 0
	const gate = createGate(LOADS)
	let shown = 0
	const waiting: { bytes: number; go(): void }[] = []

	function keep(sha256: string, bytes: Buffer): void {
		const before = kept.get(sha256)
		if (kept.delete(sha256)) keptBytes -= before?.length ?? 0
		kept.set(sha256, bytes)
		keptBytes += bytes.length
		for (const [oldest, { length }] of kept) {
			if (keptBytes <= KEPT_BYTES) return
			kept.delete(oldest)
			keptBytes -= length
		}
	}

	async function load(run: string, { file, size, sha256 }: FileInfo): Promise<Buffer> {
		const parts: Uint8Array[] = []
		for (let n = 0; n * FILE_CHUNK_BYTES < size; n++)
			parts.push(await untilDone(() => host.call('files.chunk', { run, file, n }, { timeoutMs: ANSWER_MS })))
		const bytes = Buffer.concat(parts)
		if (hash('sha256', bytes) !== sha256) throw new Error('a file came with other bytes than its own')
		return bytes
	}

	const admit = () => {
		// One that is larger than all the room goes alone.
		while (waiting[0] && (shown === 0 || shown + waiting[0].bytes <= SHOWN_BYTES)) {
			const next = waiting.shift() as (typeof waiting)[number]
			shown += next.bytes
			next.go()
		}
	}
	return {
		async bytes(run, info) {
			const known = kept.get(info.sha256)
			if (known) {
				keep(info.sha256, known)
				return known
			}
			await gate.enter()
			try {
				const bytes = kept.get(info.sha256) ?? (await load(run, info))
				keep(info.sha256, bytes)
				return bytes
			} finally {
				gate.leave()
			}
		},
		room(bytes) {
			return new Promise((resolve) => {
				let left = false
				const leave = () => {
					if (left) return
					left = true
					shown -= bytes
					admit()
				}
				waiting.push({ bytes, go: () => resolve(leave) })
				admit()
			})
		},
	}
}
