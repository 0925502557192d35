/** What a program cannot import, and names that an isolate lacks: why, and what to use in their place. */
import { isBuiltin } from 'node:module'
import { unlisted } from './packages/index.ts'

export const PACKAGE = 'berth'

/** By the names of Node and of browsers. */
const places: Record<string, string> = {
	...Object.fromEntries(['fs', 'fs/promises'].map((name) => [name, 'ctx.files or ctx.memory'])),
	...Object.fromEntries(['fetch', 'http', 'http2', 'https'].map((name) => [name, 'ctx.http'])),
	...Object.fromEntries(['buffer', 'Buffer'].map((name) => [name, 'Uint8Array and TextEncoder'])),
	crypto: 'the global crypto',
	require: 'import',
	perf_hooks: 'the global performance',
	process: 'the inputs of the run, and secrets of http for keys',
	url: 'the global URL',
}

/** A sentence of its own, or nothing. */
export function inPlaceOf(name: string): string {
	const bare = name.replace(/^node:/, '')
	return Object.hasOwn(places, bare) ? `. Use ${places[bare]}` : ''
}

export const ofNode = (name: string) =>
	`"${name}" cannot be imported: it is a part of Node, which an isolate does not have`

/** Neither a file of the agent nor the name of a package. */
export const isForeign = (specifier: string) => /^(?:\/|[a-z+]+:)/.test(specifier) && !isBuiltin(specifier)

/** Of a file of the agent: within a package, `.` and `#name` mean something. */
export const isNoName = (specifier: string) =>
	!isRelative(specifier) &&
	!isBuiltin(specifier) &&
	!/^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(?:\/|$)/.test(specifier)

const isRelative = (specifier: string) => /^\.\.?\//.test(specifier)

export const foreign = (specifier: string) =>
	`"${specifier}" cannot be imported: only files of the agent and packages can`

export const otherPart = (specifier: string) =>
	`"${specifier}" cannot be imported: programs have the package ${PACKAGE} alone, and tests ${PACKAGE}/test`

/**
 * Of an import that the compiler does not find. Undefined: its own words are right. The build itself does not tell of
 * those whose names no code uses, since they may be types.
 */
export function importFault(specifier: string, files: Map<string, Uint8Array>): string | undefined {
	if (isBuiltin(specifier)) return ofNode(specifier) + inPlaceOf(specifier)
	if (isRelative(specifier)) return undefined
	if (isForeign(specifier) || isNoName(specifier)) return foreign(specifier)
	if (specifier.startsWith(`${PACKAGE}/`)) return otherPart(specifier)
	const why = unlisted(specifier, files)
	return why && `"${specifier}" cannot be imported: ${why}`
}
