import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of package.json, from a source file as from a bundle in dist/. */
export const root = findRoot(dirname(fileURLToPath(import.meta.url)))

export const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string })
	.version

function findRoot(folder: string): string {
	if (existsSync(join(folder, 'package.json'))) return folder
	const parent = dirname(folder)
	if (parent === folder) throw new Error('package.json is missing')
	return findRoot(parent)
}
