import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { commentsWith } from './comments.ts'
import { filesIn, manifest, root, sourceFiles } from './files.ts'

const text = (path: string) => readFileSync(join(root, path), 'utf8')

test('the top level holds what architecture names and nothing else', () => {
	const made = new Set(['node_modules', 'dist', 'package-lock.json'])
	const there = readdirSync(root).filter(
		(name) => !name.startsWith('.') && !made.has(name) && !name.startsWith('dist.'),
	)
	expect(there.sort()).toEqual(
		[
			'README.md',
			'bundles',
			'connector',
			'drizzle.config.ts',
			'host',
			'package.json',
			'runtime',
			'test',
			'tsconfig.json',
		].sort(),
	)
})

// Proves: repository.pins
test('every dependency is pinned exactly', () => {
	const { dependencies, devDependencies, optionalDependencies } = manifest
	const all = [dependencies, devDependencies, optionalDependencies].flatMap((kind) => Object.entries(kind))
	expect(all.filter(([, version]) => !/^(npm:@[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})

// Proves: repository.nothing-open
test('nothing is left open in the sources', () => {
	const open = sourceFiles.filter((path) =>
		/(\/\/|\*).*\b(TODO|FIXME|XXX|HACK)\b|@ts-(ignore|nocheck|expect-error)/.test(text(path)),
	)
	expect(open).toEqual([])
})

// Proves: repository.nothing-open
test('no test is skipped or run alone', () => {
	const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
		name.endsWith('.test.ts'),
	)
	const marked = files.filter((name) =>
		/\b(test|it|describe)\.(skip|only|todo|fails|skipIf|runIf)\b/.test(text(join('test', name))),
	)
	expect(marked.filter((name) => name !== 'architecture/repository.test.ts')).toEqual([])
})

/** A word with a slash that names a source file. */
const pathWord = /(?<![\w/.@{}*-])(?:[\w.@-]+\/)+[\w.-]+\.(?:ts|mjs)\b/g

test('paths named in comments lead somewhere, from the root or from the file itself', () => {
	const files = ['.tools', 'bundles', 'connector', 'host', 'runtime', 'test'].flatMap(filesIn)
	const named = files.flatMap((file) =>
		commentsWith(file, pathWord).flatMap((comment) =>
			[...comment.matchAll(pathWord)].map(([to]) => ({ file, to })),
		),
	)
	expect(named.length).toBeGreaterThan(10)
	const missing = named.filter(
		({ file, to }) => ![to, join(dirname(file), to)].some((path) => existsSync(join(root, path))),
	)
	expect(missing.map(({ file, to }) => `${file}: ${to}`)).toEqual([])
})

test('only test files have hooks at their top: a shared module is loaded once a process, for the first file', () => {
	const shared = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
		(name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
	)
	expect(shared.filter((name) => /^(before|after)(Each|All)\(/m.test(text(join('test', name))))).toEqual([])
})
