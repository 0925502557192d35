import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
	'scripts' | 'dependencies' | 'devDependencies' | 'optionalDependencies',
	Record<string, string>
>

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Every TypeScript file and module below a folder, by its path from the root. */
export const filesIn = (folder: string): string[] =>
	readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)))

const rooms = ['bundles', 'connector', 'host', 'runtime']
/** What an agent's author writes is not the product's code. */
const notOurs = /^bundles\/(examples|template)\/|\/migrations\/|\.d\.ts$/

/** Every source file of the rooms. */
export const sourceFiles: string[] = rooms.flatMap(filesIn).filter((path) => !notOurs.test(path))
