/** `package.json` and `package-lock.json` of an agent: which package, in which version and bytes, an import means. */
import { z } from 'zod'
import { packageName } from './inside.ts'

export const PACKAGE_FILE = 'package.json'
export const LOCK_FILE = 'package-lock.json'

const entry = z.object({
	name: z.string().optional(),
	version: z.string().optional(),
	integrity: z.string().optional(),
	link: z.boolean().optional(),
	dependencies: z.record(z.string(), z.string()).optional(),
})
const lockFile = z.object({ lockfileVersion: z.int(), packages: z.record(z.string(), entry).optional() })
const packageFile = z.object({ dependencies: z.record(z.string(), z.string()).optional() })
const names = z.record(z.string(), z.unknown()).optional()
const allDependencies = z.object({
	dependencies: names,
	devDependencies: names,
	optionalDependencies: names,
	peerDependencies: names,
})

/** A package as the lockfile names it. */
export interface Locked {
	/** `node_modules/a/node_modules/b` */
	path: string
	name: string
	version: string
	/** Subresource Integrity of its tarball; none where it comes from a folder or inside another package. */
	integrity: string | undefined
}

/** As Node looks a package up for a file of the package at `from` (`''`: the agent itself). A text: why there is none, and what to do. */
export type FindLocked = (name: string, from: string) => Locked | string

export function readLock(files: Map<string, Uint8Array>): FindLocked {
	const broken = notJson(files, PACKAGE_FILE)
	const { dependencies = {} } = parsed(files.get(PACKAGE_FILE), packageFile) ?? {}
	const packages = lockedPackages(files, dependencies)
	return (name, from) => {
		if (broken) return broken
		if (from === '' && !Object.hasOwn(dependencies, name)) return notListed(name)
		if (typeof packages === 'string') return packages
		for (let above: string | undefined = from; above !== undefined; above = parentOf(above)) {
			const path = above === '' ? `node_modules/${name}` : `${above}/node_modules/${name}`
			const found = Object.hasOwn(packages, path) ? packages[path] : undefined
			if (!found) continue
			const integrity = found.link ? undefined : found.integrity
			return { path, name: found.name ?? name, version: found.version ?? '', integrity }
		}
		return `${LOCK_FILE} does not have it: run npm install, and commit it`
	}
}

const notListed = (name: string) =>
	`${PACKAGE_FILE} has it not in dependencies: npm install ${name}, and commit ${PACKAGE_FILE} and ${LOCK_FILE}`

/**
 * Why a package that is imported for its types, or for nothing, is not there. Types may be those of a package for
 * development, or of one that another needs.
 */
export function unlisted(specifier: string, files: Map<string, Uint8Array>): string | undefined {
	if (notJson(files, PACKAGE_FILE)) return undefined
	const name = packageName(specifier)
	const types = `@types/${name.replace(/^@([^/]+)\/(.*)$/, '$1__$2')}`
	const has = (listed: object = {}, at = '') =>
		Object.hasOwn(listed, at + name) || Object.hasOwn(listed, at + types)
	const kinds = Object.values(parsed(files.get(PACKAGE_FILE), allDependencies) ?? {})
	if (kinds.some((listed) => has(listed))) return undefined
	return has(parsed(files.get(LOCK_FILE), lockFile)?.packages, 'node_modules/') ? undefined : notListed(name)
}

function lockedPackages(files: Map<string, Uint8Array>, dependencies: Record<string, string>) {
	if (!files.has(LOCK_FILE)) return `there is no ${LOCK_FILE}: run npm install, and commit it`
	const broken = notJson(files, LOCK_FILE)
	if (broken) return broken
	const lock = parsed(files.get(LOCK_FILE), lockFile)
	if (!lock?.packages || lock.lockfileVersion < 2)
		return `${LOCK_FILE} is not of version 2 or 3: run npm install with npm 7 or later, and commit it`
	const locked = lock.packages['']?.dependencies ?? {}
	const differs = [...Object.keys(dependencies), ...Object.keys(locked)].find(
		(name) => dependencies[name] !== locked[name],
	)
	if (differs === undefined) return lock.packages
	return `${LOCK_FILE} and ${PACKAGE_FILE} differ about ${differs}: run npm install, and commit both`
}

/** `node_modules/a/node_modules/b` → `node_modules/a` → the agent → none */
function parentOf(path: string): string | undefined {
	if (path === '') return undefined
	return path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')))
}

/** Often what a merge has left. */
function notJson(files: Map<string, Uint8Array>, name: string): string | undefined {
	try {
		if (files.has(name)) JSON.parse(new TextDecoder().decode(files.get(name)))
		return undefined
	} catch {
		const mend = name === LOCK_FILE ? 'delete it, run npm install' : 'mend it'
		return `${name} is not JSON, as after a merge with conflicts: ${mend}, and commit it`
	}
}

function parsed<T>(bytes: Uint8Array | undefined, schema: z.ZodType<T>): T | undefined {
	try {
		return schema.parse(JSON.parse(new TextDecoder().decode(bytes)))
	} catch {
		return undefined
	}
}
