import { describe, expect, test } from 'vitest'
import { completer, defaultFaults } from '../../../bundles/index.ts'
import { typeText } from '../../../bundles/schema/type-text.ts'
import { bundleOf } from '../../kit/agent.ts'

const complete = (schema: object, value: unknown) => completer(schema)?.(value)

describe('defaults of a schema', () => {
	// Proves: bundle.input-defaults
	test('behind a pointer or an anchor are put in, and the type says that they are there', () => {
		const schema = {
			type: 'object',
			properties: { a: { $ref: '#named' }, b: { $ref: '#/$defs/d' }, c: { $ref: '#none' } },
			$defs: { d: { $anchor: 'named', type: 'number', default: 5 } },
		}
		expect(complete(schema, {})).toEqual({ value: { a: 5, b: 5 } })
		expect(typeText(schema, { completed: true })).toBe('{ "a": number; "b": number; "c"?: unknown }')
	})

	// Proves: bundle.input-defaults
	test('are put in at any depth, and what was given stays', () => {
		const schema = {
			type: 'object',
			properties: {
				lang: { type: 'string', default: 'en' },
				page: {
					type: 'object',
					default: {},
					properties: { size: { type: 'integer', default: 20 }, sort: { enum: ['up', 'down'] } },
				},
				deep: { type: 'object', properties: { on: { default: false } } },
				list: { type: 'array', items: { $ref: '#/$defs/item' } },
				ref: { $ref: '#/$defs/item' },
				__proto__x: { default: 1 },
			},
			$defs: { item: { type: 'object', default: { n: 1 }, properties: { m: { default: null } } } },
			allOf: [{ properties: { also: { default: 'all' } } }],
		}
		const given = { lang: 'de', list: [{ n: 5 }, { m: 0 }] }
		const before = structuredClone(given)
		expect(complete(schema, given)).toEqual({
			value: {
				also: 'all',
				lang: 'de',
				page: { size: 20 },
				list: [{ n: 5, m: null }, { m: 0 }],
				ref: { n: 1, m: null },
				__proto__x: 1,
			},
		})
		expect(given).toEqual(before)
		const whole = { lang: 'de', also: 1, page: { size: 1 }, ref: { n: 1, m: 1 }, __proto__x: 2 }
		const same = complete(schema, whole) as { value: unknown }
		expect(same.value).toBe(whole)
	})

	test('are no work where a schema has none', () => {
		expect(completer({ type: 'object', properties: { name: { type: 'string' } } })).toBeNull()
	})

	test('named like the prototype make a member, and nothing else', () => {
		const properties = JSON.parse('{"__proto__": {"default": {"admin": true}}}') as object
		const filled = complete({ properties }, {}) as { value: object }
		expect(Object.keys(filled.value)).toEqual(['__proto__'])
		expect((filled.value as { admin?: boolean }).admin).toBeUndefined()
	})

	test.each([
		[
			'in a circle',
			{
				$defs: { a: { default: {}, properties: { a: { $ref: '#/$defs/a' } } } },
				properties: { a: { $ref: '#/$defs/a' } },
			},
		],
		['that double at each step', doubling(30)],
	])('%s end as a fault', (_, schema) => {
		expect(complete(schema, {})).toEqual({ fault: expect.stringContaining('without an end') })
	})

	// Proves: bundle.default-fits
	test('that do not fit their own schema are told with their place', async () => {
		const schema = {
			type: 'object',
			properties: {
				good: { type: 'string', pattern: '^a', default: 'abc' },
				bad: { type: 'integer', default: 'many' },
				nested: { default: {}, required: ['size'], properties: { size: { $ref: '#/$defs/size' } } },
				'a/b': { type: 'object', default: { x: 'y' }, properties: { x: { type: 'number' } } },
			},
			$defs: { size: { type: 'integer', minimum: 1, default: 0 } },
		}
		expect(await defaultFaults(schema)).toEqual([
			{
				path: ['properties', 'bad', 'default'],
				message: expect.stringMatching(/does not fit its own schema: must be integer/),
			},
			{ path: ['properties', 'nested', 'default'], message: expect.stringContaining('/size') },
			{ path: ['properties', 'a/b', 'default'], message: expect.stringContaining('/x must be number') },
			{ path: ['$defs', 'size', 'default'], message: expect.stringContaining('does not fit') },
		])
	})

	// Proves: bundle.default-fits
	test('that do not fit are a fault of the agent, with its line', async () => {
		const yaml =
			'inputs:\n  type: object\n  properties:\n    n: { type: integer }\n    m:\n      type: integer\n      default: few\n'
		await expect(bundleOf({ yaml })).rejects.toThrow(
			'agent.yaml:9 /inputs/properties/m/default: does not fit its own schema: must be integer, is string',
		)
	})
})

/** Each of `n` schemas holds the one before it twice. */
function doubling(n: number): object {
	const $defs: Record<string, object> = { d0: { default: 0 } }
	for (let at = 1; at <= n; at++) {
		const inner = { $ref: `#/$defs/d${at - 1}` }
		$defs[`d${at}`] = { default: {}, properties: { a: inner, b: inner } }
	}
	return { $defs, properties: { a: { $ref: `#/$defs/d${n}` } } }
}
