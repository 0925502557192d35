// The pages of the repository, and the parts of them that are made from the code: `npm run generate` writes these parts,
// a test compares them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { settings } from '../host/settings/config.ts'
import { picture } from './picture.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** An agent's own files are not pages. */
const notOurs = /^bundles\/(examples|template)\//

const within = (folder: string) =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name))

/** Paths from the root. */
export const pages: string[] = [
	...readdirSync(root).filter((name) => name.endsWith('.md')),
	...['.github', 'bundles', 'connector', 'host', 'runtime', 'test'].flatMap(within),
].filter((path) => !notOurs.test(path))

export const readPage = (path: string) => readFileSync(join(root, path), 'utf8')

const parts: Record<string, () => string> = {
	picture,
	settings: () =>
		[
			'| name | default | meaning |',
			'|-|-|-|',
			...Object.entries(settings).map(
				([name, row]) => `| \`${name}\` | ${row.default && `\`${row.default}\``} | ${row.help} |`,
			),
		].join('\n'),
}

/** A page with its generated parts as they must be. */
export function withParts(text: string): string {
	return text.replace(
		/(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
		(_whole, begin: string, name: string, end: string) => {
			const make = parts[name]
			if (!make)
				throw new Error(`there is no generated part ${name}; there are ${Object.keys(parts).join(', ')}`)
			return `${begin}${make()}\n${end}`
		},
	)
}
