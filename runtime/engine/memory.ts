/**
 * An agent's memory as one run sees it: the bundle's files, and what the run has changed. Nothing outlives the run yet;
 * effects reach memory through this interface only.
 */
import { EffectRejection } from './failure.ts'

const MAX_FILES = 1000
const FILE_MAX_BYTES = 256 * 1024
const PATH_MAX_CHARS = 512

export interface MemoryEntry {
	path: string
	size: number
	version: number
}

export interface Memory {
	list(prefix: string): MemoryEntry[]
	read(path: string): { content: string; version: number }
	/** `expected`: the version that must still be there; 0 for a path that must be new. */
	write(path: string, content: string, expected: number | undefined): { version: number }
	remove(path: string, expected: number | undefined): void
}

interface File {
	content: string
	size: number
	version: number
}

export function runMemory(seed: Readonly<Record<string, string>>): Memory {
	let files: Map<string, File> | undefined
	// Most runs never ask: the copy is made by the first that does.
	const all = () => {
		files ??= new Map(
			Object.entries(seed).map(([path, content]) => [
				path,
				{ content, size: Buffer.byteLength(content), version: 1 },
			]),
		)
		return files
	}
	const find = (path: string, expected: number | undefined) => {
		const file = all().get(path)
		if (!file) throw new EffectRejection('not_found', `There is no ${path} in memory.`)
		check(path, expected, file.version)
		return file
	}
	return {
		list(prefix) {
			const inside = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
			return [...all()]
				.filter(([path]) => path === prefix || path.startsWith(inside))
				.map(([path, { size, version }]) => ({ path, size, version }))
				.sort((a, b) => (a.path < b.path ? -1 : 1))
		},
		read(path) {
			const { content, version } = find(path, undefined)
			return { content, version }
		},
		write(path, content, expected) {
			if (!isPath(path))
				throw new EffectRejection('invalid_request', `${path} is no path a memory file may have.`)
			const size = Buffer.byteLength(content)
			if (size > FILE_MAX_BYTES) {
				throw new EffectRejection(
					'invalid_request',
					`A memory file may have ${FILE_MAX_BYTES / 1024} KiB; this has ${size} bytes.`,
				)
			}
			const held = all().get(path)
			check(path, expected, held?.version ?? 0)
			if (!held && all().size >= MAX_FILES)
				throw new EffectRejection('invalid_request', `Memory may hold ${MAX_FILES} files.`)
			const version = (held?.version ?? 0) + 1
			all().set(path, { content, size, version })
			return { version }
		},
		remove(path, expected) {
			find(path, expected)
			all().delete(path)
		},
	}
}

/** As in a bundle: relative, without empty, `.` or `..` segments, on one line. */
function isPath(path: string): boolean {
	if (path.length > PATH_MAX_CHARS || /[\\\p{Cc}]/u.test(path) || !path.isWellFormed()) return false
	return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

function check(path: string, expected: number | undefined, version: number): void {
	if (expected === undefined || expected === version) return
	throw new EffectRejection('conflict', `${path} has version ${version}, not ${expected}.`)
}
