import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, posix } from 'node:path'
import type { Message, Metafile, Plugin } from 'esbuild'
import type { CommittedFolder } from './commit.ts'
import { type BundleFault, fault } from './fault.ts'
import { programOf } from './folder.ts'
import { foreign, inPlaceOf, isForeign, isNoName, ofNode, otherPart, PACKAGE } from './imports.ts'
import { packageRoot } from './new-agent.ts'
import { openPackages, PACKAGES, type PackageEntry, type Packages } from './packages/index.ts'
import { withMap } from './source-map.ts'
import { NO_COMMIT } from './working-tree.ts'

const FOLDER = 'commit'
const ENTRY = 'entry'
const OUTPUT = 'program.js'
const PACKAGE_FILE = 'bundles/types/index.js'

export interface Programs {
	/** Compiled scripts by their path in the bundle, each with its source map. */
	scripts: Map<string, string>
	/** Those with code in the scripts. */
	packages: PackageEntry[]
	faults: BundleFault[]
}

/**
 * Compiles each `tools.ts` and `agent.ts` to one script from these files and the packages of their lockfile. A script runs in a fresh
 * context and registers through `__berth`, which the guest program has put there.
 */
export async function compilePrograms({
	commit,
	files,
}: Pick<CommittedFolder, 'commit' | 'files'>): Promise<Programs> {
	const scripts = new Map<string, string>()
	const faults: BundleFault[] = []
	const packages = openPackages(files)
	const metafiles: Metafile[] = []
	const place = commit === NO_COMMIT ? "the agent's folder" : 'the commit'
	for (const path of [...files.keys()].sort()) {
		const program = programOf(path, 'ts')
		if (!program) continue
		const entry =
			program.kind === 'agent'
				? `import run from './${path}'\n__berth.agent(run)\n`
				: `import * as tools from './${path}'\n__berth.tools(${JSON.stringify(program.skill)}, tools)\n`
		const result = await compile(path, entry, { files, packages, place })
		faults.push(...result.faults)
		if (result.metafile) metafiles.push(result.metafile)
		scripts.set(path.replace(/\.ts$/, '.js'), result.code)
	}
	return { scripts, packages: packages.listed(metafiles), faults }
}

interface Sources {
	files: Map<string, Uint8Array>
	packages: Packages
	/** Where the files come from, in words. */
	place: string
}

async function compile(
	path: string,
	entry: string,
	sources: Sources,
): Promise<{ code: string; metafile?: Metafile; faults: BundleFault[] }> {
	const esbuild = await import('esbuild')
	try {
		const { outputFiles, metafile } = await esbuild.build({
			entryPoints: [ENTRY],
			bundle: true,
			write: false,
			outfile: OUTPUT,
			sourcemap: 'external',
			sourcesContent: false,
			format: 'iife',
			platform: 'neutral',
			target: 'es2024',
			charset: 'utf8',
			legalComments: 'none',
			treeShaking: true,
			tsconfigRaw: '{}',
			logLevel: 'silent',
			metafile: true,
			// Of Node's names, those that packages take for granted.
			define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
			logOverride: { 'unsupported-require-call': 'error' },
			plugins: [committed(sources, entry)],
		})
		const textOf = (name: string) => outputFiles.find((file) => file.path.endsWith(name))?.text ?? ''
		return { code: withMap(textOf(OUTPUT), textOf(`${OUTPUT}.map`), nameOf), metafile, faults: [] }
	} catch (error) {
		const { errors } = error as { errors?: Message[] }
		if (!errors) throw error
		return { code: '', faults: errors.map((message) => explain(path, message, sources.packages)) }
	}
}

/** `commit:agent.ts` → `agent.ts`, `npm:node_modules/zod/index.js` → `node_modules/zod/index.js` */
function nameOf(source: string): string {
	const space = [FOLDER, PACKAGES].find((one) => source.startsWith(`${one}:`))
	return space === undefined ? source : source.slice(space.length + 1)
}

function explain(path: string, { text, location }: Message, packages: Packages): BundleFault {
	if (!location || location.file.startsWith(`${ENTRY}:`)) {
		return fault(
			path,
			/No matching export/.test(text) ? 'has no default export (export default agent(…))' : text,
		)
	}
	const file = nameOf(location.file)
	const inPackage = location.file.startsWith(`${PACKAGES}:`)
	const { reason, place } = reworded(text)
	return fault(file, reason + (inPackage ? `; needed by ${packages.neededBy(file)}` : place), location.line)
}

const NOT_SO = `"${PACKAGE}" cannot be imported so: write import { … } from '${PACKAGE}' at the top of the file`
const ENDING = /\.(ts|js|json|txt|md)$/
const COMPUTED = 'a computed require cannot be bundled: name the file or the package'

/** What esbuild says of imports that `committed` leaves to it. */
function reworded(text: string): { reason: string; place: string } {
	const name = /^Could not resolve "(.+)"$/.exec(text)?.[1]
	if (name !== undefined && isBuiltin(name)) return { reason: ofNode(name), place: inPlaceOf(name) }
	const [, from, missing] = /^No matching export in "(.+)" for import "(.+)"$/.exec(text) ?? []
	if (from === `${PACKAGE}:${PACKAGE}`)
		return { reason: `"${PACKAGE}" has no "${missing}": it has ${ownExports().join(' and ')}`, place: '' }
	if (from !== undefined) return { reason: `"${nameOf(from)}" has no export "${missing}"`, place: '' }
	const computed = /^Could not resolve require\(|^This call to "require" will not be bundled/.test(text)
	return { reason: computed ? COMPUTED : text, place: '' }
}

const refused = (text: string) => ({ errors: [{ text }] })

const packageCode = () => readFileSync(join(packageRoot(), PACKAGE_FILE), 'utf8')
const ownExports = () => [...packageCode().matchAll(/^export const (\w+)/gm)].map(([, name]) => name).sort()

/** The only files there are: the commit's, the package `berth`, and those of the lockfile's packages. */
function committed({ files, packages, place }: Sources, entry: string): Plugin {
	return {
		name: FOLDER,
		setup(build) {
			build.onResolve({ filter: /.*/ }, (args) => {
				const { path, importer, namespace, kind } = args
				if (kind === 'entry-point') return { path, namespace: ENTRY }
				if (path === PACKAGE && kind === 'import-statement')
					return { path, namespace: PACKAGE, sideEffects: false }
				if (isForeign(path) || (namespace === FOLDER && isNoName(path))) return refused(foreign(path))
				if (namespace === FOLDER && path === PACKAGE) return refused(NOT_SO)
				if (namespace === FOLDER && path.startsWith(`${PACKAGE}/`)) return refused(otherPart(path))
				if (namespace === PACKAGES || !/^\.\.?\//.test(path)) return packages.resolve(args)
				const base = namespace === FOLDER ? posix.dirname(importer) : '.'
				const target = posix.join(base, path)
				if (target.startsWith('../') || target === '..')
					return refused(`"${path}" leads out of the agent's folder`)
				const stem = target.replace(/\.js$/, '')
				const found = [target, `${stem}.ts`, `${target}/index.ts`].find((candidate) => files.has(candidate))
				if (!found) return refused(`"${path}" is not in ${place}`)
				if (!ENDING.test(found))
					return refused(`"${path}" cannot be imported: .ts, .js, .json, .md and .txt can`)
				return { path: found, namespace: FOLDER }
			})
			build.onLoad({ filter: /.*/, namespace: ENTRY }, () => ({ contents: entry, loader: 'js' }))
			build.onLoad({ filter: /.*/, namespace: PACKAGE }, () => ({ contents: packageCode(), loader: 'js' }))
			build.onLoad({ filter: /.*/, namespace: PACKAGES }, ({ path, pluginData }) =>
				packages.load(path, pluginData),
			)
			build.onLoad({ filter: /.*/, namespace: FOLDER }, ({ path }) => {
				const ending = ENDING.exec(path)?.[1]
				const loader = ending === 'md' || ending === 'txt' ? 'text' : (ending as 'ts' | 'js' | 'json')
				return { contents: files.get(path) as Uint8Array, loader }
			})
		},
	}
}
