import { pathFault } from '../../bundles/index.ts'
import { Problem } from '../http/errors.ts'

// What memory may hold: small texts, by the paths that a bundle may have, so that all of it can be kept as files.

export const fileMaxBytes = 1024 * 1024
const allMaxBytes = 10 * 1024 * 1024
const filesMax = 1000

/** Whether there can be anything at the path at all: the database cannot even be asked for such a text. */
export const isStorable = (path: string) => !path.includes('\0') && path.isWellFormed()

/** Why this may not be stored, or null. */
export function writeFault(path: string, content: string): string | null {
	const fault = pathFault(path)
	if (fault) return `${JSON.stringify(path)} is no path of memory: ${fault}.`
	if (content.includes('\0') || !content.isWellFormed())
		return `${path} must be text, without NUL characters.`
	const size = Buffer.byteLength(content)
	if (size > fileMaxBytes) return `${path} has ${size} bytes; a file of memory may have ${fileMaxBytes}.`
	return null
}

/** Why there is no room, or null. */
export function totalFault({ files, bytes }: { files: number; bytes: number }): string | null {
	if (files > filesMax) return `Memory may hold ${filesMax} files.`
	if (bytes > allMaxBytes) return `All files of memory together may have ${allMaxBytes} bytes.`
	return null
}

/** Of the files that a bundle brings: all faults at once, before anything is created. */
export function requireSeed(seed: Record<string, string>): void {
	const files = Object.entries(seed)
	const bytes = files.reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0)
	const faults: [string, string | null][] = [
		...files.map(([path, content]): [string, string | null] => [`memory/${path}`, writeFault(path, content)]),
		['memory', totalFault({ files: files.length, bytes })],
	]
	const errors = faults.flatMap(([path, message]) => (message === null ? [] : [{ path, message }]))
	if (errors.length > 0)
		throw new Problem('bundle_invalid', `The bundle's memory cannot be kept: ${errors[0]?.message}`, {
			errors,
		})
}
