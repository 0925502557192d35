import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parse } from 'yaml'
import { root } from './files.ts'

/** One promise of `test/spec/*.yaml`. */
export interface Promised {
	id: string
	/** One sentence. */
	says: string
	source: string
	/** Why no test proves it yet. */
	open?: string
	/** The file's name without its ending: the first part of `id`. */
	area: string
}

export interface Citation {
	id: string
	/** File and line, from the root. */
	at: string
	/** The next line that is no comment: what the citation belongs to. */
	above: string
}

const folder = join(root, 'test/spec')

export const promises: Promised[] = readdirSync(folder).flatMap((file) => {
	const rows = parse(readFileSync(join(folder, file), 'utf8')) as Omit<Promised, 'area'>[]
	return rows.map((row) => ({ ...row, area: file.replace(/\.yaml$/, '') }))
})

const folders = ['.tools', 'bundles', 'connector', 'host', 'runtime', 'test']
const files = folders
	.flatMap((name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
	.filter((entry) => entry.isFile() && /\.m?tsx?$|\.mjs$/.test(entry.name))
	.map((entry) => relative(root, join(entry.parentPath, entry.name)))
	.filter((path) => !path.includes('node_modules'))

/** Every line of every source file, with where it stands. */
export const lines = files.flatMap((path) =>
	readFileSync(join(root, path), 'utf8')
		.split('\n')
		.map((text, index, all) => ({ path, text, at: `${path}:${index + 1}`, after: all.slice(index + 1) })),
)

/** `// Proves: run.waits, run.cancel` above a test, or at the head of its file. */
export const proofs: Citation[] = lines
	.filter(({ path }) => path.endsWith('.test.ts'))
	.flatMap(({ text, at, after }) =>
		(/^\s*\/\/ Proves: (.*)$/.exec(text)?.[1] ?? '')
			.split(',')
			.map((id) => id.trim())
			.filter(Boolean)
			.map((id) => ({
				id,
				at,
				above: after.find((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line))?.trim() ?? '',
			})),
	)

/** `(spec run.waits)` in a comment: the reason for what the code does. */
export const mentions: Citation[] = lines.flatMap(({ text, at }) =>
	[...text.matchAll(/\(spec ([a-z0-9., -]+)\)/g)].flatMap(([, ids = '']) =>
		ids.split(',').map((id) => ({ id: id.trim(), at, above: '' })),
	),
)
