/** Imports of packages, for the build of a program. */
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import type { Metafile, OnLoadResult, OnResolveArgs, OnResolveResult } from 'esbuild'
import { plain } from '../text.ts'
import { type Package, readPackage } from './cache.ts'
import { entryOf, fileAt, innerOf, type Kind, packageName, replaced } from './inside.ts'
import { type FindLocked, readLock } from './lock.ts'

/** esbuild's namespace of their files: `npm:node_modules/zod/index.js`. */
export const PACKAGES = 'npm'
const EMPTY = '(empty)'

/** A package whose code is in a bundle, as the manifest lists it. */
export interface PackageEntry {
	name: string
	version: string
	/** As its package.json says; null: it says nothing. */
	license: string | null
	/** Of its code in the programs, together. */
	bytes: number
	integrity: string
}

export interface Packages {
	/** Null: it is part of Node. esbuild then refuses it, unless the code tries it and goes on without. */
	resolve(args: OnResolveArgs): Promise<OnResolveResult | null>
	load(path: string, from: Package): OnLoadResult
	/** Of a file below `node_modules`: which package needs what it imports, and who needs that package. */
	neededBy(file: string): string
	listed(metafiles: Metafile[]): PackageEntry[]
}

export function openPackages(files: Map<string, Uint8Array>): Packages {
	let find: FindLocked | undefined
	const read = new Map<string, Promise<Package | string>>()
	/** By the path of a package: what imported it first. */
	const importers = new Map<string, string>()
	const known = new Map<string, Package>()

	async function another(specifier: string, from: Package | undefined, args: OnResolveArgs) {
		const name = packageName(specifier)
		find ??= readLock(files)
		const locked = find(name, from?.path ?? '')
		if (typeof locked === 'string') {
			if (isBuiltin(specifier)) return null
			return refused(specifier, locked)
		}
		const reading = read.get(locked.path) ?? readPackage(locked)
		read.set(locked.path, reading)
		const found = await reading
		if (typeof found === 'string') return refused(specifier, found)
		known.set(found.path, found)
		if (!importers.has(found.path)) importers.set(found.path, args.importer)
		const sub = `.${specifier.slice(name.length)}`
		const path = entryOf(found, sub, kindOf(args))
		if (path !== null) return at(found, path)
		return refused(specifier, `${found.name} ${found.version} has no such entry for a program in an isolate`)
	}

	async function resolve(args: OnResolveArgs): Promise<OnResolveResult | null> {
		const from = args.pluginData as Package | undefined
		if (!from) return another(args.path, undefined, args)
		if (args.path.startsWith('.')) return relative(args, from)
		if (args.path.startsWith('#')) {
			const inner = innerOf(from, args.path, kindOf(args))
			if (inner?.startsWith('.')) return at(from, posix.normalize(inner))
			return inner === null ? refused(args.path, 'its package has no such name') : another(inner, from, args)
		}
		const specifier = replaced(from.json, args.path, args.path)
		if (specifier === false) return at(from, false)
		if (specifier !== args.path && from.files.has(specifier)) return at(from, specifier)
		if (packageName(specifier) === from.name && from.json.exports) {
			const own = entryOf(from, `.${specifier.slice(from.name.length)}`, kindOf(args))
			if (own !== null) return at(from, own)
		}
		return another(specifier, from, args)
	}

	return {
		resolve,
		load: (path, from) => (path.endsWith(EMPTY) ? { contents: '', loader: 'js' } : contentOf(path, from)),
		neededBy: (file) => neededBy(file, known, importers),
		listed: (metafiles) => listed(metafiles, known),
	}
}

const kindOf = ({ kind }: OnResolveArgs): Kind => (kind.startsWith('require') ? 'require' : 'import')

const refused = (specifier: string, why: string): OnResolveResult => ({
	errors: [{ text: `"${specifier}" cannot be imported: ${why}` }],
})

function at(from: Package, path: string | false): OnResolveResult {
	return {
		path: `${from.path}/${path === false ? EMPTY : path}`,
		namespace: PACKAGES,
		pluginData: from,
		// A list names the files that have any; all are kept then.
		...(from.json.sideEffects === false && { sideEffects: false }),
	}
}

function relative({ path, importer }: OnResolveArgs, from: Package): OnResolveResult {
	const inside = posix.join(posix.dirname(importer.slice(from.path.length + 1)), path)
	const found = fileAt(from.files, inside, from.json)
	return found === null ? refused(path, `${from.name} ${from.version} has no such file`) : at(from, found)
}

function contentOf(path: string, from: Package): OnLoadResult {
	const ending = /\.(?:[cm]?js|json)$/.exec(path)?.[0]
	const bytes = from.files.get(path.slice(from.path.length + 1))
	if (!ending || !bytes) {
		const what = path.endsWith('.node') ? 'native code' : 'neither JavaScript nor JSON'
		return { errors: [{ text: `${path} cannot be imported: it is ${what}` }] }
	}
	if (ending === '.json') return { contents: bytes, loader: 'json', pluginData: from }
	// A map of its own would lead to files that are not in the package.
	const text = new TextDecoder().decode(bytes).replace(/^\/\/# sourceMappingURL=.*$/gm, '')
	return { contents: text, loader: 'js', pluginData: from }
}

const PLACE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//
const packageOf = (file: string) => PLACE.exec(file)?.[1] ?? ''

/** `b 2.0.0, which a 1.0.0 imports, which agent.ts imports` */
function neededBy(file: string, known: Map<string, Package>, importers: Map<string, string>): string {
	const chain: string[] = []
	const seen = new Set<string>()
	for (
		let path = packageOf(file);
		path !== '' && !seen.has(path);
		path = packageOf(importers.get(path) ?? '')
	) {
		seen.add(path)
		const one = known.get(path)
		chain.push(one ? `${one.name} ${one.version}` : path)
		const importer = importers.get(path) ?? ''
		if (packageOf(importer) === '') chain.push(importer)
	}
	return chain.map((one, i) => (i === 0 ? one : `which ${one} imports`)).join(', ')
}

const LICENSE_MAX_CHARS = 200

function listed(metafiles: Metafile[], known: Map<string, Package>): PackageEntry[] {
	const bytes = new Map<string, number>()
	for (const { outputs } of metafiles)
		for (const { inputs } of Object.values(outputs))
			for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
				const path = input.startsWith(`${PACKAGES}:`) ? packageOf(input.slice(PACKAGES.length + 1)) : ''
				if (path !== '') bytes.set(path, (bytes.get(path) ?? 0) + bytesInOutput)
			}
	return [...bytes]
		.filter(([, size]) => size > 0)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.flatMap(([path, size]) => {
			const one = known.get(path)
			if (!one) return []
			const { name, version, integrity = '' } = one
			return { name, version, license: licenseOf(one.json), bytes: size, integrity }
		})
}

function licenseOf({ license }: Record<string, unknown>): string | null {
	const named = typeof license === 'object' ? (license as { type?: unknown } | null)?.type : license
	return typeof named === 'string' && named !== '' && plain(named) ? named.slice(0, LICENSE_MAX_CHARS) : null
}
