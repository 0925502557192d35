import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../host/lib/root.ts'
import { temporary } from '../kit/berth.ts'

// What `npm pack` and `npm run pack-client` put into their tarballs. test/install/main.ts installs them.

interface Packed {
	filename: string
	files: { path: string }[]
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
	dependencies: Record<string, string>
	devDependencies: Record<string, string>
	optionalDependencies: Record<string, string>
}
const filesIn = (folder: string) =>
	readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

// Proves: repository.package
test('the package has what a host and an owner load, and nothing else', () => {
	const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=silent']
	const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as [Packed]
	const unpacked = /\.map$|^dist\/(\.compiled\/.*|\.sources|demo\.mjs)$|_snapshot\.json$/
	const wanted = [
		...['README.md', 'package.json', 'host/owner/cli/bin/berth.mjs', 'bundles/agent.schema.json'],
		...['dist', 'host/db/migrations', 'bundles/template', 'bundles/types', 'connector/judge/weights'].flatMap(
			filesIn,
		),
	].filter((path) => !unpacked.test(path))
	expect(packed.files.map(({ path }) => path).sort()).toEqual(wanted.sort())
})

// Proves: repository.package
test('what dist/ does not bundle is a dependency, and what it bundles is none', () => {
	const imported = new Set<string>()
	for (const file of filesIn('dist').filter((name) => name.endsWith('.mjs'))) {
		const text = readFileSync(join(root, file), 'utf8')
		for (const [, name = ''] of text.matchAll(
			/(?:^import |\bfrom |\bimport\(|require\(|createRequire\([\w.]+\)\()"((?:@[\w-]+\/)?[a-z][\w.-]*)"/gm,
		))
			imported.add(name)
	}
	const installed = Object.keys(manifest.dependencies).filter((name) => name !== 'node')
	expect(installed.filter((name) => !imported.has(name))).toEqual([])
	const kept = new Set([...installed, ...Object.keys(manifest.optionalDependencies), 'onnxruntime-web'])
	const bundled = Object.keys(manifest.devDependencies).filter((name) => !kept.has(name))
	expect(bundled.filter((name) => imported.has(name))).toEqual([])
})

// Proves: repository.package
test('the client alone has the command line and the template, and no host, runtime or judge', () => {
	const folder = temporary()
	const made = execFileSync('node', [join(root, '.tools/pack-client.mjs')], { cwd: folder, encoding: 'utf8' })
	const { filename } = JSON.parse(made) as Packed
	const listed = execFileSync('tar', ['-tzf', join(folder, filename)], { encoding: 'utf8' })
	const files = listed
		.trim()
		.split('\n')
		.map((path) => path.replace(/^package\//, ''))
	const programs = files.filter((path) => /^dist\/[^/]+$/.test(path))
	expect(programs.sort()).toEqual(['dist/cli.mjs', 'dist/schema-worker.mjs'])
	expect(files).toContain('bundles/template/common/gitignore')
	expect(
		files.filter((path) => !/^(dist|bundles|host\/owner\/cli\/bin)\/|^package\.json$/.test(path)),
	).toEqual([])
	expect(files.filter((path) => !path.startsWith('dist/') && !existsSync(join(root, path)))).toEqual([])
})
