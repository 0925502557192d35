/** Loaded before a test (`--import`): an agent's files import what a bundle may, without an `npm install`. */
import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { packageRoot } from '../../../../bundles/index.ts'

const types = join(packageRoot(), 'bundles/types')
const packages: Record<string, string> = {
	berth: pathToFileURL(join(types, 'index.js')).href,
	'berth/test': pathToFileURL(join(types, 'test.js')).href,
}

registerHooks({
	resolve(specifier, context, next) {
		const own = packages[specifier]
		if (own) return { url: own, format: 'module', shortCircuit: true }
		const found =
			specifier.startsWith('.') && context.parentURL ? sourceOf(specifier, context.parentURL) : null
		return found ? next(found, context) : next(specifier, context)
	},
	load(url, context, next) {
		if (!/^file:.*\.(md|txt)$/.test(url)) return next(url, context)
		const text = readFileSync(fileURLToPath(url), 'utf8')
		return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
	},
})

/** `./money` and `./money.js` are money.ts, as in a bundle. */
function sourceOf(specifier: string, parent: string): string | null {
	const url = new URL(specifier, parent)
	if (url.protocol !== 'file:' || existsSync(url)) return null
	const stem = fileURLToPath(url).replace(/\.js$/, '')
	const file = [`${stem}.ts`, join(stem, 'index.ts')].find((candidate) => existsSync(candidate))
	return file ? pathToFileURL(file).href : null
}
