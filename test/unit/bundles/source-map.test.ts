import { expect, test } from 'vitest'
import { buildBundle, guestBundle, readBundle, readMap } from '../../../bundles/index.ts'
import { minimal, repository } from '../../kit/repository.ts'

const base64 = (value: unknown) =>
	Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')

// Proves: bundle.source-map
test('a compiled program carries its map, which leads to the line it was written in', async () => {
	const program = `import { far } from './far.ts'\n\ninterface X { a: number }\nexport default async (x: X) => far(x.a)\n`
	const far = `export const far = (a: number): number => {\n\tif (a > 1)\n\t\tthrow new Error('far')\n\treturn a\n}\n`
	const { root } = repository({ ...minimal, 'agent.ts': program, 'far.ts': far })
	const { bytes } = await buildBundle(root)
	const bundle = readBundle(bytes)
	const [script] = bundle.scripts
	expect(script?.code).not.toContain('sourceMappingURL')
	expect(guestBundle(bundle).scripts[0]).not.toHaveProperty('map')
	const lines = script?.code.split('\n') ?? []
	const line = lines.findIndex((text) => text.includes('new Error'))
	const find = readMap(String(script?.map))
	expect(find(line + 1, (lines[line]?.indexOf('new Error') ?? 0) + 1)).toEqual({
		file: 'far.ts',
		line: 3,
		column: 9,
	})
	expect(find(1, 1)).toBeUndefined()
	expect(Buffer.from((await buildBundle(root)).bytes).equals(bytes)).toBe(true)
})

test.each([
	['no base64', '%%%'],
	['no JSON', base64('{')],
	['null', base64('null')],
	['no sources', base64({ version: 3, mappings: 'AAAA' })],
	['sources that are no texts', base64({ sources: [{}], mappings: 'AAAA' })],
	['a source that is not there', base64({ sources: [], mappings: 'AAAA' })],
	['a source too long', base64({ sources: ['x'.repeat(2000)], mappings: 'AAAA' })],
	['places before the beginning', base64({ sources: ['a'], mappings: 'ADDD;DDDD' })],
	['digits without an end', base64({ sources: ['a'], mappings: 'g'.repeat(100_000) })],
	['signs of another alphabet', base64({ sources: ['a'], mappings: '€ü\u0000;;AA,A' })],
	['over its bound', base64({ sources: ['a'], mappings: ';'.repeat(1_100_000) })],
])('a map with %s leads nowhere', (_, map) => {
	const find = readMap(map)
	for (const place of [find(1, 1), find(2, 5), find(999_999_999, 999_999_999)]) expect(place).toBeUndefined()
})

test('a map at its bound is read in a moment, and found in at once', () => {
	const find = readMap(base64({ sources: ['a.ts'], mappings: 'AAAA;'.repeat(200_000) }))
	expect(find(150_000, 7)).toEqual({ file: 'a.ts', line: 1, column: 1 })
	for (let i = 1; i < 100_000; i++) find(i, i)
})
