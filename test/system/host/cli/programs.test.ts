// `berth bundle` loads an agent's programs in a sandbox and checks their types, before any host sees them.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newAgent, readBundle } from '../../../../bundles/index.ts'
import { berth, temporary } from '../../../kit/berth.ts'
import { loadFaults, skill } from '../../../kit/broken.ts'
import { npmCache } from '../../../kit/npm-cache.ts'
import { minimal, repository } from '../../../kit/repository.ts'

async function faultsOf(files: Record<string, string>, ...options: string[]): Promise<string[]> {
	const { root } = repository({ ...minimal, ...files })
	const { code, stderr } = await berth(['bundle', root, ...options], { cwd: root })
	expect(existsSync(join(root, 'small.agent'))).toBe(code === 0)
	return stderr.split('\n').flatMap((line) => /^berth: (.*)/.exec(line)?.[1] ?? [])
}

// Proves: bundle.programs-loaded
test.each(Object.entries(loadFaults))('a build refuses %s', async (_, { files, told }) => {
	const faults = await faultsOf(files)
	for (const one of told) expect(faults).toContainEqual(expect.stringMatching(one))
})

// Proves: bundle.all-faults
test('a build tells faults of every kind at once, each with file and line', async () => {
	const faults = await faultsOf({
		'agent.yaml': `${minimal['agent.yaml']}prompt: other.md\ninputs: { type: object, properties: { q: { type: strin } } }\n`,
		'agent.ts': "import fs from 'node:fs'\nexport default () => fs\n",
		'skills/s/SKILL.md': skill('s'),
		'skills/s/tools.ts':
			"import { tool } from 'berth'\nexport const a = tool({ description: '', input: {}, run: () => 1 })\nexport const b = tool<{ n: number }>({ description: 'd', input: {}, run: ({ m }) => m })\n",
		'skills/t/SKILL.md': skill('t'),
		'skills/t/tools.ts': "\nthrow new Error('boom')\nexport {}\n",
	})
	expect(faults).toEqual([
		expect.stringMatching(/^agent\.yaml:4 \/inputs\/properties\/q\/type: type must be one or several of /),
		'agent.yaml:3 /prompt: there is no file other.md',
		'agent.ts:1: "node:fs" cannot be imported: it is a part of Node, which an isolate does not have. Use ctx.files or ctx.memory',
		'skills/s/tools.ts:2 /a/description: a tool needs a description, which the model reads',
		'skills/t/tools.ts:2: fails when it is loaded: boom',
		"skills/s/tools.ts:3: Property 'm' does not exist on type '{ n: number; }'.",
	])
})

// Proves: bundle.all-faults
test('a line with several wrong imports has a fault for each', async () => {
	const program = "import { agnt, wht } from 'berth'; import fs from 'node:fs'; import os from 'node:os'\n"
	const faults = await faultsOf({ 'agent.ts': `${program}export default () => [agnt, wht, fs, os].length\n` })
	for (const name of ['node:fs', 'node:os', 'agnt', 'wht'])
		expect(faults.filter((one) => one.startsWith('agent.ts:1: ') && one.includes(name))).toHaveLength(1)
	expect(faults).toHaveLength(4)
})

// Proves: bundle.all-faults
test('an import that no code uses is told like one that is used', async () => {
	const unused = `import fs from 'node:fs'
import { readFile } from 'fs/promises'; import os from 'os'
import pad from 'left-pad'
import type { Slug } from '@scope/slugs/deep'
import type { Typed } from 'typed'
import type { Inner } from 'inner'
import far from 'https://example.com/far.js'
import { run } from 'berth/tests'
import './gone.ts'
export default () => 1
`
	const add = (name: string) =>
		`"${name}" cannot be imported: package.json has it not in dependencies: npm install ${name.split('/deep')[0]}, and commit package.json and package-lock.json`
	const node = (name: string) =>
		`"${name}" cannot be imported: it is a part of Node, which an isolate does not have`
	const faults = await faultsOf({
		'agent.ts': unused,
		'package.json': '{ "devDependencies": { "@types/typed": "1" } }',
		'package-lock.json': '{ "lockfileVersion": 3, "packages": { "": {}, "node_modules/inner": {} } }',
	})
	expect(faults.sort()).toEqual([
		`agent.ts:1: ${node('node:fs')}. Use ctx.files or ctx.memory`,
		`agent.ts:2: ${node('fs/promises')}. Use ctx.files or ctx.memory`,
		`agent.ts:2: ${node('os')}`,
		`agent.ts:3: ${add('left-pad')}`,
		`agent.ts:4: ${add('@scope/slugs/deep')}`,
		'agent.ts:7: "https://example.com/far.js" cannot be imported: only files of the agent and packages can',
		'agent.ts:8: "berth/tests" cannot be imported: programs have the package berth alone, and tests berth/test',
		'agent.ts:9: "./gone.ts" is not in the commit',
	])
})

// Proves: bundle.types-checked
test('types are checked with what stands in the isolate, unless the owner says otherwise', async () => {
	const program = `import { agent } from 'berth'
import text from './words.txt'
import table from './table.json'
export default agent<{ q: string }>(({ q }, ctx) => {
	console.log(new URL(q).searchParams.get('a'), crypto.randomUUID(), structuredClone(table.n), text.length)
	return ctx.tools.list().lenght
})
`
	const files = { 'agent.ts': program, 'words.txt': 'x', 'table.json': '{ "n": 1 }' }
	expect(await faultsOf(files)).toEqual([
		expect.stringMatching(/^agent\.ts:6: Property 'lenght' does not exist on type/),
	])
	expect(await faultsOf(files, '--no-types')).toEqual([])
	const inputs = 'inputs: { type: object, properties: { question: { type: string } }, required: [question] }'
	expect(
		await faultsOf({
			'agent.yaml': `${minimal['agent.yaml']}${inputs}\n`,
			'agent.ts': `import { agent } from 'berth'
export default agent<{ question: number }>(({ question }) => String(question))
export const other = agent(({ question }, ctx) => ctx.tools.call('no_such_tool', { question }))
`,
		}),
	).toEqual(
		expect.arrayContaining([
			expect.stringMatching(/^agent\.ts:2: .*the inputs in agent\.yaml have another type/),
			expect.stringMatching(/^agent\.ts:3: .*no_such_tool/),
		]),
	)
	expect(
		await faultsOf({
			'agent.ts':
				'export default () => [process.env.A, Buffer.from("a"), fetch, setTimeout, document, aple, process.env].length\n',
		}),
	).toEqual([
		"agent.ts:1: Cannot find name 'process': it is Node's, and there is no Node in the sandbox that programs run in. Use the inputs of the run, and secrets of http for keys",
		"agent.ts:1: Cannot find name 'Buffer': it is Node's, and there is no Node in the sandbox that programs run in. Use Uint8Array and TextEncoder",
		"agent.ts:1: Cannot find name 'fetch': there is none in the sandbox that programs run in. Use ctx.http",
		"agent.ts:1: Cannot find name 'setTimeout': there is none in the sandbox that programs run in",
		"agent.ts:1: Cannot find name 'document': there is none in the sandbox that programs run in",
		"agent.ts:1: Cannot find name 'aple'.",
	])
})

// Proves: bundle.tools-listed
test('the template passes, its tools are listed, and its bytes stay the same', async () => {
	const { root } = repository(Object.fromEntries(newAgent('first-try')))
	const outputs = ['a.agent', 'b.agent'].map((name) => join(root, name))
	for (const output of outputs) {
		const { code, stdout, stderr } = await berth(['bundle', root, '--output', output, '--json'])
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
		const { tools } = JSON.parse(stdout)
		expect(tools).toMatchObject([{ name: 'calculate', skill: 'arithmetic' }])
	}
	const [first, second] = outputs.map((output) => readFileSync(output))
	expect(first?.equals(second as Buffer)).toBe(true)
	expect(readBundle(first as Buffer).scripts).toHaveLength(1)
})

// Proves: bundle.examples
test.each(['expense-auditor', 'support-triage', 'claim-checker', 'order-desk', 'receipt-reader'])(
	'the example %s passes',
	async (name) => {
		const { root } = repository()
		const output = join(root, 'out.agent')
		const { code, stderr } = await berth(['bundle', `bundles/examples/${name}`, '--output', output])
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
	},
)

const slugs = {
	'package.json': '{"name":"slugs","version":"1.4.0","license":"MIT","types":"index.d.ts","main":"index.js"}',
	'index.js':
		"exports.slug = (text) => {\n\tif (text === '') throw new Error('no text')\n\treturn text.toLowerCase().replaceAll(' ', '-')\n}\n",
	'index.d.ts': 'export function slug(text: string): string\n',
}

// Proves: bundle.packages-listed, bundle.packages-types, bundle.packages
test('a package is bundled and listed; its types count, its lines are told, and tests run with it', async () => {
	const cache = temporary()
	const { files } = npmCache(cache, { 'node_modules/slugs': slugs })
	const env = { npm_config_cache: cache }
	const { root, write } = repository({
		...minimal,
		...files,
		'.gitignore': 'node_modules\n*.agent\ntypes\n',
		'agent.yaml': `${minimal['agent.yaml']}inputs: { type: object, required: [q], properties: { q: { type: string } } }\n`,
		'agent.ts': `import { agent } from 'berth'\nimport { slug } from 'slugs'\nexport default agent<{ q: string }>(({ q }) => slug(q))\n`,
		'agent.test.ts': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'
const model = script([])
test('in an isolate', async () => assert.equal((await run({ q: 'A B' }, { model })).output, 'a-b'))
test('its line', () => assert.rejects(run({ q: '' }, { model }), /no text[^]*node_modules\\/slugs\\/index\\.js:2:/))
`,
	})
	const built = await berth(['bundle', root], { cwd: root, env })
	expect(built.stderr).toContain('Types of packages were not checked: run npm ci first.')
	expect(built.code).toBe(0)
	const shown = await berth(['inspect', join(root, 'small.agent'), '--json'])
	expect(JSON.parse(shown.stdout).packages).toEqual([
		{
			name: 'slugs',
			version: '1.4.0',
			license: 'MIT',
			bytes: expect.any(Number),
			integrity: expect.stringMatching(/^sha512-/),
		},
	])
	expect((await berth(['inspect', join(root, 'small.agent')])).stdout).toMatch(
		/packages +slugs 1\.4\.0 \(MIT, \d+ bytes\)/,
	)
	for (const [path, text] of Object.entries(slugs)) write({ [`node_modules/slugs/${path}`]: text })
	const tested = await berth(['test', root, '--json'], { cwd: root, env })
	expect(JSON.parse(tested.stdout)).toMatchObject({ passed: 2, failed: 0 })
	write({ 'agent.ts': "import { slug } from 'slugs'\nexport default () => slug(1)\n" })
	const wrong = await berth(['test', root], { cwd: root, env })
	expect(wrong.stderr).toContain("agent.ts:2: Argument of type 'number' is not assignable")
	rmSync(join(root, 'node_modules/slugs/index.d.ts'))
	write({ 'agent.ts': "import { slug } from 'slugs'\nexport default () => slug('a')\n" })
	const untyped = await berth(['test', root], { cwd: root, env })
	expect(untyped.stderr).toContain(
		`agent.ts:1: the package "slugs" has no types: npm install --save-dev @types/slugs. Where there are none, write a file slugs.d.ts with \`declare module 'slugs'\`, and begin this file with /// <reference path="./slugs.d.ts" />`,
	)
	// As it says.
	write({
		'slugs.d.ts': "declare module 'slugs'\n",
		'agent.ts':
			"/// <reference path=\"./slugs.d.ts\" />\nimport { agent } from 'berth'\nimport { slug } from 'slugs'\nexport default agent<{ q: string }>(({ q }) => slug(q))\n",
	})
	const declared = await berth(['test', root, '--json'], { cwd: root, env })
	expect(JSON.parse(declared.stdout)).toMatchObject({ passed: 2, failed: 0 })
})
