// `berth bundle` loads an agent's programs in a sandbox and checks their types, before any host sees them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newAgent, readBundle } from '../../../../bundles/index.ts'
import { berth } from '../../../kit/berth.ts'
import { loadFaults, skill } from '../../../kit/broken.ts'
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
		'agent.ts:1: "node:fs" cannot be imported: only files of the agent and "berth" can',
		'skills/s/tools.ts:2 /a/description: a tool needs a description, which the model reads',
		'skills/t/tools.ts:2: fails when it is loaded: boom',
		"skills/s/tools.ts:3: Property 'm' does not exist on type '{ n: number; }'.",
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
test.each(['expense-auditor', 'support-triage', 'claim-checker', 'order-desk'])(
	'the example %s passes',
	async (name) => {
		const { root } = repository()
		const output = join(root, 'out.agent')
		const { code, stderr } = await berth(['bundle', `bundles/examples/${name}`, '--output', output])
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
	},
)
