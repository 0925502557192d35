import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/root.ts'

/** Of one file: as it is, and as compressed at build (.tools/console.mjs). */
export interface ConsoleFile {
	type: string
	plain: Buffer
	br?: Buffer
	gzip?: Buffer
}

export interface ConsoleFiles {
	/** The document of every page. */
	document: string
	/** By the name that follows `/console/assets/`. */
	assets: Map<string, ConsoleFile>
	/** Bundles for whoever has none yet, by provider. */
	examples: Map<string, Buffer>
}

const types: Record<string, string> = {
	js: 'text/javascript; charset=utf-8',
	css: 'text/css; charset=utf-8',
	svg: 'image/svg+xml',
}

let files: ConsoleFiles | undefined

/** Read at the first page and kept: some hundred kilobytes, which a host without a browser never pays for. */
export function consoleFiles(): ConsoleFiles {
	files ??= read(join(root, 'dist/console'))
	return files
}

function read(folder: string): ConsoleFiles {
	const assets = new Map<string, ConsoleFile>()
	const names = readdirSync(join(folder, 'assets'))
	for (const name of names) {
		const type = types[name.split('.').at(-1) ?? '']
		if (!type) continue
		const bytes = (ending = '') => readFileSync(join(folder, 'assets', name + ending))
		assets.set(name, {
			type,
			plain: bytes(),
			...(names.includes(`${name}.br`) && { br: bytes('.br') }),
			...(names.includes(`${name}.gz`) && { gzip: bytes('.gz') }),
		})
	}
	const examples = new Map(
		readdirSync(join(folder, 'examples')).map((name) => [
			name.replace(/\.agent$/, ''),
			readFileSync(join(folder, 'examples', name)),
		]),
	)
	return { document: readFileSync(join(folder, 'index.html'), 'utf8'), assets, examples }
}
