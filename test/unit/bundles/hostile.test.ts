import { describe, expect, test } from 'vitest'
import { BundleError, checkSchema, compileSchema, parseAgent, readBundle } from '../../../bundles/index.ts'
import { manifestFor, rawZip } from '../../kit/raw-zip.ts'
import { minimal } from '../../kit/repository.ts'

// Texts that are small and cost much: each is refused from its size or its count, in this very process.

const head = 'name: small\nmodel: { provider: openai, name: m }\n'
const members = (count: number) => Array.from({ length: count }, (_, n) => `k${n}: 1`)

function faultsOf(files: Record<string, string>, change?: Record<string, unknown>) {
	const all = { ...minimal, ...files }
	const entries = Object.entries(all).map(([name, content]) => ({ name, content }))
	try {
		readBundle(rawZip([{ name: 'bundle.json', content: manifestFor(all, change) }, ...entries]))
	} catch (error) {
		if (error instanceof BundleError) return error.faults.map(({ file, message }) => `${file}: ${message}`)
		throw error
	}
	return []
}

const tooMany = 'agent.yaml: holds over 50,000 names, values and signs'

describe('agent.yaml', () => {
	// Proves: bundle.text-bounds
	test.each([
		['members of one map', `${head}inputs: { ${members(20_000).join(', ')} }\n`, tooMany],
		['a million items', `${head}inputs: { x: [${'1,'.repeat(200_000)}] }\n`, tooMany],
		['syntax errors', '}\n'.repeat(200_000), tooMany],
		['empty lines', `${head}${'\n'.repeat(200_000)}`, tooMany],
		['brackets', '['.repeat(200_000), tooMany],
		['dashes', '- '.repeat(200_000), tooMany],
		['documents', '---\n'.repeat(100_000), tooMany],
		['one long text', `${head}description: ${'x'.repeat(600_000)}\n`, 'agent.yaml: is over 512 KiB'],
		['many short lines of one text', `a: "${'x\n '.repeat(300_000)}"`, 'agent.yaml: is over 512 KiB'],
	])('with %s is refused before it is parsed', (_, text, fault) => {
		expect(faultsOf({ 'agent.yaml': text })).toContain(fault)
	})

	test('with 4,000 members of one map is read, its doubled ones told', () => {
		const inputs = `inputs: { type: object, ${members(4_000).join(', ')} }\n`
		expect(parseAgent(head + inputs).faults).toEqual([])
		const doubled = parseAgent(head + inputs.replace('k3999', 'k0')).faults
		expect(doubled).toEqual([
			{ file: 'agent.yaml', pointer: '', line: 3, message: 'Map keys must be unique' },
		])
	})

	// Proves: bundle.first-hundred-faults
	test.each([
		['syntax errors', '}\n'.repeat(20_000)],
		['unknown members', head + members(5_000).join('\n')],
		['aliases', `${head}x: &a 1\ny: [${'*a, '.repeat(10_000)}]\n`],
	])('with thousands of %s tells the first hundred', (_, text) => {
		expect(parseAgent(text).faults).toHaveLength(100)
	})
})

describe('a bundle', () => {
	// Proves: bundle.first-hundred-faults
	test('with 200,000 unknown placeholders in its prompt tells the first hundred', () => {
		const faults = faultsOf({ 'prompt.md': '{{a}} '.repeat(200_000) })
		expect(faults).toHaveLength(100)
		expect(new Set(faults)).toEqual(new Set(['prompt.md: {{a}} is no input of the agent']))
	})

	// Proves: bundle.text-bounds
	test('with a front matter or a SKILL.md too large is refused', () => {
		const skill = (headed: string, body = '') => ({
			'skills/a/SKILL.md': `---\nname: a\ndescription: d\n${headed}---\n${body}`,
		})
		expect(faultsOf(skill(`x: ${'y'.repeat(20_000)}\n`))).toEqual(['skills/a/SKILL.md: is over 16 KiB'])
		expect(faultsOf(skill('', 'z'.repeat(1_100_000)))).toEqual(['skills/a/SKILL.md: is over 1 MiB'])
		expect(faultsOf(skill('name: a\n'))).toEqual(['skills/a/SKILL.md: Map keys must be unique'])
	})

	// Proves: bundle.text-bounds
	test.each([
		['values', { agent: Array(100_000).fill(0) }, 'bundle.json: holds over 60,000 values'],
		['bytes', { commit: 'a'.repeat(5_000_000) }, 'bundle.json: is over 4 MiB'],
		['faults', { files: Array(2_000).fill({}) }, 'bundle.json: is missing'],
	])('with too many %s in its manifest is refused', (_, change, fault) => {
		const faults = faultsOf({}, change)
		expect(faults).toContain(fault)
		expect(faults.length).toBeLessThanOrEqual(100)
	})
})

describe('a schema', () => {
	const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, {}]))
	let nested: object = {}
	for (let n = 0; n < 40; n++) nested = { $id: `https://x.example/${n}`, items: nested }

	// Proves: bundle.schema-size
	test.each([
		['long names above many schemas', { properties: { ['x'.repeat(100_000)]: { properties: many } } }],
		['an $id within an $id, again and again', nested],
	])('with %s is refused, and costs nothing where it is compiled all the same', async (_, schema) => {
		expect(checkSchema(schema)).toEqual([{ path: [], message: expect.stringMatching(/^has names too long/) }])
		expect(compileSchema(schema)(1, { queue: 'dep_test' })).toBeInstanceOf(Promise)
	})
})
