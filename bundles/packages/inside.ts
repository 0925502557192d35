/** Which file of a package an import means, as bundlers for browsers and workers resolve it. */
import { posix } from 'node:path'
import { exports as exported, imports as inner, legacy } from 'resolve.exports'
import type { Package } from './cache.ts'

/** Entries for Node come last: a package with one for browsers needs no built-in there. */
const CONDITIONS = ['worker', 'browser', 'module']
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '/index.js', '/index.mjs', '/index.cjs', '/index.json']

export type Kind = 'import' | 'require'

/** `name` in `name/sub/path`, or `@scope/name`. */
export const packageName = (specifier: string) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

/** `sub`: `.` or `./sub/path`. Null: the package has no such entry. `false`: it stands for an empty module. */
export function entryOf({ json, files }: Package, sub: string, kind: Kind): string | false | null {
	if (json.exports !== undefined && json.exports !== null) {
		try {
			const found = exported(json, sub, options(kind)) ?? []
			return found.map((path) => posix.normalize(path)).find((path) => files.has(path)) ?? null
		} catch {
			return null
		}
	}
	if (sub !== '.') return fileAt(files, sub, json)
	const main = legacy(json, { browser: true, fields: ['module', 'main'] })
	return (
		fileAt(files, typeof main === 'string' ? main : './index.js', json) ?? fileAt(files, './index.js', json)
	)
}

/** `#name`: a file of the package itself, or another package. */
export function innerOf({ json }: Package, specifier: string, kind: Kind): string | null {
	try {
		return inner(json, specifier, options(kind))?.[0] ?? null
	} catch {
		return null
	}
}

const options = (kind: Kind) => ({ unsafe: true, conditions: [...CONDITIONS, kind] })

/** A file by a path that may lack its ending, or be a folder's. */
export function fileAt(files: Package['files'], path: string, json: Package['json']): string | false | null {
	const stem = posix.normalize(path).replace(/\/$/, '')
	const found = ENDINGS.map((ending) => (stem === '.' ? ending.replace(/^\//, '') : stem + ending)).find(
		(one) => files.has(one),
	)
	if (found === undefined) return null
	return replaced(json, `./${found}`, found)
}

/** What `browser` of package.json puts in the place of a file or of another package. */
export function replaced<T>({ browser }: Package['json'], name: string, otherwise: T): T | string | false {
	if (typeof browser !== 'object' || browser === null || !Object.hasOwn(browser, name)) return otherwise
	const other: unknown = (browser as Record<string, unknown>)[name]
	if (other === false) return false
	return typeof other === 'string' ? posix.normalize(other) : otherwise
}
