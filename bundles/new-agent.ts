import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** What `berth init --template` makes; the first is the default. */
export const TEMPLATES = ['tools', 'chat', 'program', 'team'] as const
export type Template = (typeof TEMPLATES)[number]

/** Files of a new agent by path: the template, and the package that its programs, tests and editor read. */
export function newAgent(name: string, template: Template = 'tools'): Map<string, string> {
	const files = new Map<string, string>()
	const root = packageRoot()
	copy(join(root, 'bundles', 'template', 'common'), '')
	copy(join(root, 'bundles', 'template', template), '')
	copy(join(root, 'bundles', 'types'), 'types/berth/')
	files.set('types/berth/agent.schema.json', readFileSync(join(root, 'bundles', 'agent.schema.json'), 'utf8'))
	change('package.json', /"name": ".*"/, `"name": "${name}"`)
	change('agent.yaml', /^name: .*$/m, `name: ${name}`)
	return files

	function copy(folder: string, prefix: string): void {
		for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
			if (!entry.isFile()) continue
			const file = join(entry.parentPath, entry.name)
			// npm packs no file of the name `.gitignore`.
			const name = relative(folder, file)
				.replaceAll('\\', '/')
				.replace(/^gitignore$/, '.gitignore')
			files.set(prefix + name, readFileSync(file, 'utf8'))
		}
	}

	function change(path: string, from: RegExp, to: string): void {
		const text = files.get(path)
		if (text !== undefined) files.set(path, text.replace(from, to))
	}
}

/** Berth's own folder, from the sources as from `dist/`. */
export function packageRoot(): string {
	let folder = import.meta.dirname
	while (!existsSync(join(folder, 'bundles', 'template'))) {
		const parent = dirname(folder)
		if (parent === folder) throw new Error('the template of a new agent is missing from this installation')
		folder = parent
	}
	return folder
}
