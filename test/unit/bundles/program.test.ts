import vm from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
	BundleError,
	buildBundle,
	buildFrom,
	faultLine,
	guestBundle,
	readBundle,
	readWorkingTree,
} from '../../../bundles/index.ts'
import { minimal, repository } from '../../kit/repository.ts'

const skill = '---\nname: s\ndescription: d\n---\nBody.\n'

async function build(files: Record<string, string>) {
	const { bytes } = await buildBundle(repository({ ...minimal, ...files }).root)
	return guestBundle(readBundle(bytes))
}

async function faultsOf(program: string, more: Record<string, string> = {}): Promise<string[]> {
	try {
		await build({ 'agent.ts': program, ...more })
		return []
	} catch (error) {
		if (error instanceof BundleError) return error.faults.map(faultLine)
		throw error
	}
}

describe('a program', () => {
	it('becomes one script that registers in a fresh context through __berth alone', async () => {
		const { scripts } = await build({
			'skills/s/SKILL.md': skill,
			'skills/s/tools.ts': `import { tool } from 'berth'
				import type { Unused } from 'berth'
				import { twice } from './lib/twice.ts'
				import table from './table.json'
				import text from '../../words.txt'
				interface In { n: number }
				export const double = tool<In>({ description: 'd', input: {}, run: ({ n }) => twice(n) + table.plus + text.length })`,
			'skills/s/lib/twice.ts': 'export const twice = (n: number): number => n * 2',
			'skills/s/table.json': '{ "plus": 100 }',
			'words.txt': 'four',
			'agent.ts': `import { agent } from 'berth'
				export default agent(async (inputs: object) => ({ inputs }))`,
		})
		expect(scripts.map(({ name, kind, skill }) => [name, kind, skill])).toEqual([
			['agent.js', 'agent', undefined],
			['skills/s/tools.js', 'tools', 's'],
		])
		const registered: Record<string, unknown> = {}
		const berth = {
			tools: (name: string, exports: object) => Object.assign(registered, { [name]: exports }),
			agent: (run: unknown) => Object.assign(registered, { agent: run }),
		}
		const context = vm.createContext(Object.assign(Object.create(null), { __berth: berth }))
		for (const { code } of scripts) vm.runInContext(code, context)
		const { double } = registered.s as { double: { run(input: object): number } }
		expect(double.run({ n: 4 })).toBe(112)
		expect(await (registered.agent as (inputs: object) => Promise<object>)({ a: 1 })).toEqual({
			inputs: { a: 1 },
		})
	})

	// Proves: bundle.program-imports
	it.each([
		["import { x } from 'node:fs'\nexport default x", '"node:fs" cannot be imported'],
		["import fs from 'fs'\nexport default fs", '"fs" cannot be imported'],
		["import z from 'zod'\nexport default z", '"zod" cannot be imported'],
		["export default require('os')", '"os" cannot be imported'],
		[
			"import { request } from 'node:https'\nexport default request",
			'which an isolate does not have. Use ctx.http',
		],
		["import { run } from 'berth/test'\nexport default run", 'programs have the package berth alone'],
		["import { agnet } from 'berth'\nexport default agnet", '"berth" has no "agnet": it has agent and tool'],
		["import x from '#inner'\nexport default x", '"#inner" cannot be imported: only files of the agent'],
		["import x from '.'\nexport default x", '"." cannot be imported: only files of the agent'],
		["export default () => import('berth')", '"berth" cannot be imported so: write import'],
		[
			"export default () => import('https://example.com/x.js')",
			'"https://example.com/x.js" cannot be imported',
		],
		["import x from '/etc/passwd'\nexport default x", '"/etc/passwd" cannot be imported'],
		[
			"import x from '../../outside.ts'\nexport default x",
			'"../../outside.ts" leads out of the agent\'s folder',
		],
		["import x from './missing.ts'\nexport default x", '"./missing.ts" is not in the commit'],
	])('is refused with file and line: %s', async (program, message) => {
		expect(await faultsOf(`\n${program}`)).toEqual([expect.stringMatching(/^agent\.ts:2: /)])
		expect((await faultsOf(program))[0]).toContain(message)
	})

	it('sees the commit alone: a file of the working tree is not there', async () => {
		const { root, write } = repository({ ...minimal, 'agent.ts': "import x from './x.ts'\nexport default x" })
		write({ 'x.ts': 'export default () => 1' })
		await expect(buildBundle(root)).rejects.toThrow('agent.ts:1: "./x.ts" is not in the commit')
	})

	it('read from the working tree imports what stands there, and is told of no commit', async () => {
		const program = "import x from './x.ts'\nimport './y.ts'\nexport default x"
		const { root, write } = repository({ ...minimal, 'agent.ts': program })
		write({ 'x.ts': 'export default () => 1' })
		const built = buildFrom(await readWorkingTree(root))
		await expect(built).rejects.toMatchObject({
			lines: ['agent.ts:2: "./y.ts" is not in the agent\'s folder'],
		})
	})

	// Proves: bundle.agent-default-export
	it('is refused without a default export', async () => {
		expect(await faultsOf('export const run = 1')).toEqual([
			'agent.ts: has no default export (export default agent(…))',
		])
	})

	it('is refused where it awaits at its top or is no TypeScript', async () => {
		expect((await faultsOf('await 1\nexport default 1'))[0]).toMatch(/^agent\.ts:1: Top-level await/)
		expect((await faultsOf('export default 1 +'))[0]).toMatch(/^agent\.ts:1: /)
	})
})

describe('guestBundle', () => {
	it('gives the guest everything but limits and credentials', async () => {
		const { agent, digest } = await build({
			'agent.yaml': `${minimal['agent.yaml']}output: { type: object }
inputs: { type: object, properties: { q: { type: string } } }
requires:
  - { connector: "https://x.example/mcp", scopes: [], auth: none, kind: connector, tools: [t] }
tools: { x-example-mcp/t: { idempotent: true } }
`,
			'skills/s/SKILL.md': skill,
			'skills/s/references/deep/a.md': 'A',
			'memory/facts/b.md': 'B',
		})
		expect(digest).toMatch(/^[0-9a-f]{64}$/)
		expect(JSON.parse(agent)).toEqual({
			name: 'small',
			prompt: 'You are small.\n',
			model: { provider: 'openai', name: 'm' },
			inputs: { type: 'object', properties: { q: { type: 'string' } } },
			output: { type: 'object' },
			skills: [{ name: 's', description: 'd', body: 'Body.', references: { 'references/deep/a.md': 'A' } }],
			memory: true,
			requires: [{ connector: 'https://x.example/mcp', tools: ['t'] }],
			tools: { 'x-example-mcp/t': { idempotent: true } },
		})
	})
})
