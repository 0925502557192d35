import { expect, test } from 'vitest'
import {
	Draft,
	draftFaults,
	readJson,
	readNumber,
	writeJson,
} from '../../../../host/console/parts/schema-form/draft.ts'
import { hintOf, initialOf, kindOf, resolved } from '../../../../host/console/parts/schema-form/schema.ts'

const schema = {
	type: 'object',
	required: ['claims', 'strict', 'place', 'version'],
	$defs: { place: { type: 'object', required: ['city'], properties: { city: { default: 'Rome' } } } },
	properties: {
		claims: { type: 'array', minItems: 1, items: { type: 'string' } },
		strict: { type: 'boolean' },
		place: { $ref: '#/$defs/place' },
		home: { $ref: '#/$defs/place' },
		version: { const: 2 },
		note: { type: ['string', 'null'] },
		amount: { type: 'integer', minimum: 1, maximum: 9 },
		any: { oneOf: [{ type: 'string' }, { type: 'number' }] },
		self: { $ref: '#' },
	},
}

// Proves: console.schema-form
test('a form begins with defaults, with what can be nothing else, and with what holds these', () => {
	expect(initialOf(schema, schema)).toMatchObject({
		claims: [],
		strict: false,
		place: { city: 'Rome' },
		home: { city: 'Rome' },
		version: 2,
	})
	expect(initialOf({}, {})).toBeUndefined()
})

// Proves: console.schema-form
test('each place has the input of its type, and JSON where the schema says more than a form can', () => {
	const kinds = Object.entries(schema.properties).map(([name, property]) => [
		name,
		kindOf(resolved(property, schema), 1),
	])
	expect(Object.fromEntries(kinds)).toEqual({
		claims: 'list',
		strict: 'boolean',
		place: 'object',
		home: 'object',
		version: 'choice',
		note: 'text',
		amount: 'number',
		any: 'json',
		self: 'object',
	})
	expect(kindOf(schema, 6)).toBe('json')
	expect(hintOf(schema.properties.amount)).toBe('Whole number. · 1 to 9')
})

// Proves: console.schema-form
test('what cannot be read yet is kept as it was typed, and named by its place', () => {
	const value = { amount: readNumber('1e'), list: [readJson('{"a":')], text: 'x' }
	expect(value.amount).toBeInstanceOf(Draft)
	expect(draftFaults(value)).toEqual({
		'/amount': 'is no number',
		'/list/0': expect.stringContaining('is not JSON'),
	})
	expect(JSON.parse(writeJson(value))).toEqual({ amount: '1e', list: ['{"a":'], text: 'x' })
	expect([readNumber(' 1.50 '), readNumber(''), readJson('[1]')]).toEqual([1.5, undefined, [1]])
})
