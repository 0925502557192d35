import { expect, it } from 'vitest'
import {
	agentTypes,
	compileSchema,
	faultLine,
	fileFault,
	filePlaces,
	mapFiles,
	parseAgent,
} from '../../../bundles/index.ts'

const yaml = (inputs: string) => `name: a
model: { provider: openai, name: m }
inputs:
  type: object
  properties:
${inputs}`
const faultsOf = (inputs: string) => parseAgent(yaml(inputs)).faults.map(faultLine)

const good = `    invoice: { type: file, accept: [application/pdf, image/*], max_kb: 512, description: the invoice }
    photos: { type: array, maxItems: 3, items: { type: file } }
`

// Proves: file.declared
it('takes files directly below properties and as items of a list there', () => {
	const { agent, faults } = parseAgent(yaml(good))
	expect(faults).toEqual([])
	const inputs = agent?.inputs ?? {}
	expect(filePlaces(inputs)).toEqual([
		{ name: 'invoice', list: false, accept: ['application/pdf', 'image/*'], max_kb: 512 },
		{ name: 'photos', list: true, accept: [], max_kb: 20480 },
	])
	const validate = compileSchema(inputs)
	expect(validate({ invoice: { file: 'file_1' } }, { queue: 'q' })).toEqual([])
	expect(validate({ invoice: 'file_1' }, { queue: 'q' })).toEqual([
		{ path: '/invoice', message: 'must be object, is string' },
	])
	if (agent)
		expect(agentTypes(agent, [])).toContain('inputs: { "invoice"?: FileRef; "photos"?: (FileRef)[] }')
	if (agent)
		expect(agentTypes(agent, [])).toContain('given: { "invoice"?: GivenFile; "photos"?: (GivenFile)[] }')
})

// Proves: file.declared
it('tells what is wrong with a file at its line', () => {
	expect(faultsOf(`    a: { type: file, max_kb: 20481 }\n`)).toEqual([
		'agent.yaml:6 /inputs/properties/a/max_kb: max_kb is a whole number from 1 to 20480',
	])
	expect(faultsOf(`    a: { type: file, accept: [pdf] }\n`).join()).toContain(
		'agent.yaml:6 /inputs/properties/a/accept',
	)
	expect(faultsOf(`    a: { type: file, default: x }\n`).join()).toContain('a file has accept, max_kb')
	expect(faultsOf(`    a: { type: object, properties: { b: { type: file } } }\n`).join()).toContain(
		'file stands directly below `properties`',
	)
	expect(faultsOf(`    a: { type: object, x-berth-file: {} }\n`).join()).toContain('write `type: file`')
})

// Proves: file.declared
it('an output may be a file', () => {
	const { agent, faults } = parseAgent(
		'name: a\nmodel: { provider: openai, name: m }\noutput: { type: file }\n',
	)
	expect(faults).toEqual([])
	const places = filePlaces(agent?.output ?? {})
	expect(mapFiles(places, { file: 'x' }, ({ file }) => file)).toBe('x')
})

it('finds the files of a value, and says which may stand there', () => {
	const places = filePlaces(parseAgent(yaml(good)).agent?.inputs ?? {})
	const seen: string[] = []
	const value = { invoice: { file: 'a' }, photos: [{ file: 'b' }, 'no'], other: 1 }
	const changed = mapFiles(places, value, ({ file }, _, pointer) => {
		seen.push(pointer)
		return { file, size: 1 }
	})
	expect(seen).toEqual(['/invoice', '/photos/0'])
	expect(changed).toEqual({
		invoice: { file: 'a', size: 1 },
		photos: [{ file: 'b', size: 1 }, 'no'],
		other: 1,
	})
	const rule = { accept: ['application/pdf', 'image/*'], max_kb: 1 }
	expect(fileFault(rule, { type: 'image/png', size: 1024 })).toBeNull()
	expect(fileFault(rule, { type: 'text/html', size: 1 })).toBe(
		'is text/html; application/pdf, image/* are accepted',
	)
	expect(fileFault(rule, { type: 'image/png', size: 1025 })).toBe('is over 1 KiB')
})
