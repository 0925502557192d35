import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Message, Plugin } from 'esbuild'
import { type BundleFault, fault } from './fault.ts'
import { programOf } from './folder.ts'
import { packageRoot } from './new-agent.ts'
import { withMap } from './source-map.ts'

const FOLDER = 'commit'
const PACKAGE = 'berth'
const ENTRY = 'entry'
const OUTPUT = 'program.js'
const PACKAGE_FILE = 'bundles/types/index.js'

export interface Programs {
	/** Compiled scripts by their path in the bundle, each with its source map. */
	scripts: Map<string, string>
	faults: BundleFault[]
}

/**
 * Compiles each `tools.ts` and `agent.ts` to one script from the commit's files alone. A script runs in a fresh
 * context and registers through `__berth`, which the guest program has put there.
 */
export async function compilePrograms(files: Map<string, Uint8Array>): Promise<Programs> {
	const scripts = new Map<string, string>()
	const faults: BundleFault[] = []
	for (const path of [...files.keys()].sort()) {
		const program = programOf(path, 'ts')
		if (!program) continue
		const entry =
			program.kind === 'agent'
				? `import run from './${path}'\n__berth.agent(run)\n`
				: `import * as tools from './${path}'\n__berth.tools(${JSON.stringify(program.skill)}, tools)\n`
		const result = await compile(path, entry, files)
		faults.push(...result.faults)
		scripts.set(path.replace(/\.ts$/, '.js'), result.code)
	}
	return { scripts, faults }
}

async function compile(
	path: string,
	entry: string,
	files: Map<string, Uint8Array>,
): Promise<{ code: string; faults: BundleFault[] }> {
	const esbuild = await import('esbuild')
	try {
		const { outputFiles } = await esbuild.build({
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
			plugins: [committed(files, entry)],
		})
		const textOf = (name: string) => outputFiles.find((file) => file.path.endsWith(name))?.text ?? ''
		return { code: withMap(textOf(OUTPUT), textOf(`${OUTPUT}.map`), nameOf), faults: [] }
	} catch (error) {
		const { errors } = error as { errors?: Message[] }
		if (!errors) throw error
		return { code: '', faults: errors.map((message) => explain(path, message)) }
	}
}

/** `commit:agent.ts` → `agent.ts` */
function nameOf(source: string): string {
	return source.startsWith(`${FOLDER}:`) ? source.slice(FOLDER.length + 1) : source
}

function explain(path: string, { text, location }: Message): BundleFault {
	if (!location || location.file.startsWith(`${ENTRY}:`)) {
		return fault(
			path,
			/No matching export/.test(text) ? 'has no default export (export default agent(…))' : text,
		)
	}
	return fault(nameOf(location.file), text, location.line)
}

const packageCode = () => readFileSync(join(packageRoot(), PACKAGE_FILE), 'utf8')

/** The only files there are: the commit's, and the package `berth`. */
function committed(files: Map<string, Uint8Array>, entry: string): Plugin {
	return {
		name: FOLDER,
		setup(build) {
			build.onResolve({ filter: /.*/ }, ({ path, importer, namespace, kind }) => {
				if (kind === 'entry-point') return { path, namespace: ENTRY }
				if (path === PACKAGE && kind === 'import-statement')
					return { path, namespace: PACKAGE, sideEffects: false }
				if (!path.startsWith('./') && !path.startsWith('../')) {
					return {
						errors: [{ text: `"${path}" cannot be imported: only files of the agent and "${PACKAGE}" can` }],
					}
				}
				const base = namespace === FOLDER ? posix.dirname(importer) : '.'
				const target = posix.join(base, path)
				if (target.startsWith('../') || target === '..')
					return { errors: [{ text: `"${path}" leads out of the agent's folder` }] }
				const stem = target.replace(/\.js$/, '')
				const found = [target, `${stem}.ts`, `${target}/index.ts`].find((candidate) => files.has(candidate))
				if (!found) return { errors: [{ text: `"${path}" is not in the commit` }] }
				return { path: found, namespace: FOLDER }
			})
			build.onLoad({ filter: /.*/, namespace: ENTRY }, () => ({ contents: entry, loader: 'js' }))
			build.onLoad({ filter: /.*/, namespace: PACKAGE }, () => ({ contents: packageCode(), loader: 'js' }))
			build.onLoad({ filter: /.*/, namespace: FOLDER }, ({ path }) => {
				const ending = /\.(ts|js|json|txt|md)$/.exec(path)?.[1]
				if (!ending)
					return { errors: [{ text: `${path} cannot be imported: .ts, .js, .json, .md and .txt can` }] }
				const loader = ending === 'md' || ending === 'txt' ? 'text' : (ending as 'ts' | 'js' | 'json')
				return { contents: files.get(path) as Uint8Array, loader }
			})
		},
	}
}
