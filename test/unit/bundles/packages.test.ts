import { writeFileSync } from 'node:fs'
import vm from 'node:vm'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { BundleError, buildBundle, faultLine, readBundle, readMap } from '../../../bundles/index.ts'
import { installed, npmCache, type PackageFiles } from '../../kit/npm-cache.ts'
import { minimal, repository, temporary } from '../../kit/repository.ts'

const json = (value: object) => JSON.stringify(value)

/** Its packages are in a cache of its own. */
function agent(program: string, packages: Record<string, PackageFiles>, more: Record<string, string> = {}) {
	const made = npmCache(temporary(), packages)
	useCache(made.cache)
	return { ...made, ...repository({ ...minimal, ...made.files, 'agent.ts': program, ...more }) }
}

function useCache(folder: string): void {
	const before = process.env.npm_config_cache
	process.env.npm_config_cache = folder
	onTestFinished(() => {
		if (before === undefined) delete process.env.npm_config_cache
		else process.env.npm_config_cache = before
	})
}

const faultsOf = (root: string) =>
	buildBundle(root).then(
		() => [],
		(error: unknown) => {
			if (error instanceof BundleError) return error.faults.map(faultLine)
			throw error
		},
	)

/** What the program gives in a context that has only what is named. */
async function answerOf(bytes: Uint8Array, globals: object = {}): Promise<unknown> {
	const [script] = readBundle(bytes).scripts
	let run: (() => unknown) | undefined
	const __berth = { agent: (given: () => unknown) => (run = given) }
	vm.runInContext(script?.code ?? '', vm.createContext({ __berth, ...globals }))
	return run?.()
}

const small: PackageFiles = {
	'package.json': json({ name: 'small', version: '1.2.3', license: 'MIT', main: 'main.js' }),
	'main.js': 'exports.half = (n) => n / 2\n',
}

describe('packages of a program', () => {
	// Proves: bundle.packages
	it('are bundled as the lockfile names them: every form, the nearest version, no entry for Node', async () => {
		const { root } = agent(
			`import { half } from 'small'
			import modern, { version } from '@scope/modern'
			import { deep } from '@scope/modern/deep'
			import { old } from 'old'
			export default async () => [half(4), modern, version, deep, old]`,
			{
				'node_modules/small': small,
				'node_modules/@scope/modern': {
					'package.json': json({
						name: '@scope/modern',
						version: '2.0.0',
						type: 'module',
						sideEffects: false,
						license: { type: 'ISC' },
						exports: {
							'.': { node: './node.js', worker: './index.js', default: './node.js' },
							'./*': './lib/*.js',
						},
						imports: { '#inner': './lib/inner.js' },
					}),
					'node.js': "import 'node:fs'\n",
					'index.js':
						"import { half } from 'small'\nexport { version } from './package.json'\nexport default half\n",
					'lib/deep.js': "import inner from '#inner'\nexport const deep = inner\n",
					'lib/inner.js': "export default 'inner'\n",
				},
				'node_modules/@scope/modern/node_modules/small': {
					'package.json': json({ name: 'small', version: '9.0.0' }),
					'index.js': 'exports.half = "another"\n',
				},
				'node_modules/old': {
					'package.json': json({ name: 'old', browser: { './fs.js': './browser.js', crypto: false } }),
					'index.js': "require('crypto')\nexports.old = require('./fs')\n",
					'fs.js': "module.exports = require('fs')\n",
					'browser.js': 'module.exports = process.env.NODE_ENV + typeof global.Array\n',
				},
			},
		)
		const { bytes } = await buildBundle(root)
		expect(await answerOf(bytes)).toEqual([2, 'another', '2.0.0', 'inner', 'productionfunction'])
		expect(readBundle(bytes).packages.map(({ name, version, license }) => [name, version, license])).toEqual([
			['@scope/modern', '2.0.0', 'ISC'],
			['small', '9.0.0', null],
			['old', '1.0.0', null],
			['small', '1.2.3', 'MIT'],
		])
	})

	it('that many use work: a schema, an id, an address', async () => {
		const { root } = agent(
			`import { z } from 'zod'
			import { nanoid } from 'nanoid'
			import ipaddr from 'ipaddr.js'
			export default async () => [z.object({ a: z.number() }).safeParse({ a: '1' }).success, nanoid(8).length, ipaddr.parse('10.0.0.1').range()]`,
			{
				'node_modules/zod': installed('zod'),
				'node_modules/nanoid': installed('nanoid'),
				'node_modules/ipaddr.js': installed('ipaddr.js'),
			},
		)
		const { bytes } = await buildBundle(root)
		expect(await answerOf(bytes, { crypto, URL })).toEqual([false, 8, 'private'])
		const sizes = readBundle(bytes).packages.map(({ name, license, bytes: size }) => [
			name,
			license,
			size > 100,
		])
		expect(sizes).toEqual([
			['ipaddr.js', 'MIT', true],
			['nanoid', 'MIT', true],
			['zod', 'MIT', true],
		])
	})

	// Proves: bundle.packages-same-bytes
	it('give the same bytes in any folder, whatever node_modules holds', async () => {
		const program = "import { half } from 'small'\nexport default async () => half(2)"
		const first = agent(program, { 'node_modules/small': small })
		const { digest, bytes } = await buildBundle(first.root)
		const other = repository({
			...minimal,
			...first.files,
			'agent.ts': program,
			'.gitignore': 'node_modules\n',
		})
		other.write({ 'node_modules/small/main.js': 'exports.half = () => "changed"\n' })
		const again = await buildBundle(other.root)
		// The commit has another id there, since it has another .gitignore.
		expect(again.manifest.files).toEqual((await buildBundle(first.root)).manifest.files)
		expect(again.manifest.packages).toEqual(readBundle(bytes).packages)
		expect((await buildBundle(first.root)).digest).toBe(digest)
	})

	// Proves: bundle.packages-integrity
	it('are refused where the cache lacks them or has other bytes than the lockfile names', async () => {
		const program = "import { half } from 'small'\nexport default async () => half(2)"
		const { root, tarballs, cache } = agent(program, {
			'node_modules/small': { ...small, 'README.md': String(Math.random()) },
		})
		writeFileSync(String(tarballs[0]), 'x')
		expect(await faultsOf(root)).toEqual([
			`agent.ts:1: "small" cannot be imported: small 1.2.3 in npm's cache (${cache}) is not the one of package-lock.json: run npm cache verify, then npm ci`,
		])
		const empty = temporary()
		useCache(empty)
		expect(await faultsOf(root)).toEqual([
			`agent.ts:1: "small" cannot be imported: small 1.2.3 is not in npm's cache (${empty}): run npm ci in the folder of package-lock.json`,
		])
	})

	// Proves: bundle.packages-map
	it('carry their lines: a place in one leads to its file', async () => {
		const { root } = agent("import { half } from 'small'\nexport default async () => half(2)", {
			'node_modules/small': {
				...small,
				'main.js':
					"'use strict'\n\nexports.half = () => {\n\tthrow new Error('no half')\n}\n//# sourceMappingURL=main.js.map\n",
			},
		})
		const [script] = readBundle((await buildBundle(root)).bytes).scripts
		const lines = script?.code.split('\n') ?? []
		const line = lines.findIndex((text) => text.includes('no half'))
		const place = readMap(String(script?.map))(line + 1, (lines[line]?.indexOf('new Error') ?? 0) + 1)
		expect(place).toMatchObject({ file: 'node_modules/small/main.js', line: 4 })
	})
})

const dependent = (code: string, more: PackageFiles = {}, meta: object = {}) => ({
	'node_modules/outer': {
		'package.json': json({ name: 'outer', version: '3.0.0' }),
		'index.js': "module.exports = require('inner')\n",
	},
	'node_modules/inner': {
		'package.json': json({ name: 'inner', version: '1.0.0', ...meta }),
		'index.js': code,
		...more,
	},
})

// Proves: bundle.packages-refused
describe('a package is refused by name, file and line', () => {
	const needed = 'needed by inner 1.0.0, which outer 3.0.0 imports, which agent.ts imports'
	it.each([
		[
			'a part of Node',
			dependent("\nconst fs = require('fs')\n"),
			`node_modules/inner/index.js:2: "fs" cannot be imported: it is a part of Node, which an isolate does not have; ${needed}`,
		],
		[
			'a computed require',
			dependent('module.exports = (name) => require(name)\n'),
			`node_modules/inner/index.js:1: a computed require cannot be bundled: name the file or the package; ${needed}`,
		],
		[
			'a require of some file of a folder',
			dependent("module.exports = (name) => require('./locale/' + name)\n"),
			`node_modules/inner/index.js:1: a computed require cannot be bundled: name the file or the package; ${needed}`,
		],
		[
			'native code',
			dependent("module.exports = require('./x.node')\n", { 'x.node': 'elf' }),
			`node_modules/inner/index.js:1: node_modules/inner/x.node cannot be imported: it is native code; ${needed}`,
		],
		[
			'an install script',
			dependent('', {}, { scripts: { postinstall: 'node build.js' } }),
			'node_modules/outer/index.js:1: "inner" cannot be imported: inner 1.0.0 has an install script (postinstall), which a build does not run: use a package in plain JavaScript; needed by outer 3.0.0, which agent.ts imports',
		],
		[
			'a build by node-gyp',
			dependent('', { 'binding.gyp': '{}' }),
			'node_modules/outer/index.js:1: "inner" cannot be imported: inner 1.0.0 has native code (binding.gyp): use a package in plain JavaScript; needed by outer 3.0.0, which agent.ts imports',
		],
		[
			'a package that is not locked',
			{ 'node_modules/outer': dependent('')['node_modules/outer'] },
			'node_modules/outer/index.js:1: "inner" cannot be imported: package-lock.json does not have it: run npm install, and commit it; needed by outer 3.0.0, which agent.ts imports',
		],
	])('%s', async (_, packages, message) => {
		const { root } = agent("import x from 'outer'\nexport default async () => x", packages)
		expect(await faultsOf(root)).toEqual([message])
	})

	it('but what a package tries and can do without stays out', async () => {
		const { root } = agent(
			"import x from 'outer'\nexport default async () => x",
			dependent("let c = 'none'\ntry { c = require('crypto') } catch {}\nmodule.exports = c\n"),
		)
		expect(await answerOf((await buildBundle(root)).bytes)).toBe('none')
	})
})

describe('the lockfile', () => {
	const program = "\nimport { half } from 'small'\nexport default async () => half(2)"
	let files: { 'package.json': string; 'package-lock.json': string }
	beforeEach(() => {
		files = npmCache(temporary(), { 'node_modules/small': small }).files
	})
	const refused = async (changed: Record<string, string | undefined>) => {
		const all = Object.entries({ ...minimal, ...files, 'agent.ts': program, ...changed })
		const given = all.filter((one): one is [string, string] => one[1] !== undefined)
		return faultsOf(repository(Object.fromEntries(given)).root)
	}
	const says = (text: string) => [`agent.ts:2: "small" cannot be imported: ${text}`]
	const lockWith = (entry: object) => {
		const lock = JSON.parse(files['package-lock.json'])
		Object.assign(lock.packages['node_modules/small'], entry)
		return { 'package-lock.json': json(lock) }
	}

	// Proves: bundle.packages-lockfile
	it('must be there, fit package.json, and name a SHA-512', async () => {
		expect(await refused({ 'package-lock.json': undefined })).toEqual(
			says('there is no package-lock.json: run npm install, and commit it'),
		)
		expect(await refused({ 'package.json': json({ devDependencies: { small: '1.2.3' } }) })).toEqual(
			says(
				'package.json has it not in dependencies: npm install small, and commit package.json and package-lock.json',
			),
		)
		expect(await refused({ 'package.json': json({ dependencies: { small: '^2' } }) })).toEqual(
			says('package-lock.json and package.json differ about small: run npm install, and commit both'),
		)
		expect(await refused({ 'package-lock.json': json({ lockfileVersion: 1, dependencies: {} }) })).toEqual(
			says('package-lock.json is not of version 2 or 3: run npm install with npm 7 or later, and commit it'),
		)
		// As a merge leaves them.
		expect(await refused({ 'package-lock.json': '<<<<<<< HEAD\n{}\n' })).toEqual(
			says(
				'package-lock.json is not JSON, as after a merge with conflicts: delete it, run npm install, and commit it',
			),
		)
		expect(await refused({ 'package.json': '{ "dependencies": {} ' })).toEqual(
			says('package.json is not JSON, as after a merge with conflicts: mend it, and commit it'),
		)
		expect(await refused(lockWith({ link: true }))).toEqual([
			expect.stringContaining('small 1.2.3 comes from a folder or inside another package'),
		])
		expect(await refused(lockWith({ integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }))).toEqual(
			says('package-lock.json has no SHA-512 of small 1.2.3: remove its entry and run npm install'),
		)
	})
})
