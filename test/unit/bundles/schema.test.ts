import { readFile } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { checkSchema, closeSchemaWorkers, compileSchema } from '../../../bundles/index.ts'

const asker = { queue: 'dep_test' }

afterAll(closeSchemaWorkers)

describe('compileSchema', () => {
	it('forgets what was compiled long ago when much is', () => {
		const text = 'x'.repeat(1_000_000)
		const first = compileSchema({ title: 'kept' })
		for (let n = 0; n < 2; n++) compileSchema({ title: `${n} ${text}` })
		expect(compileSchema({ title: 'kept' })).toBe(first)
		for (let n = 0; n < 5; n++) compileSchema({ title: `again ${n} ${text}` })
		expect(compileSchema({ title: 'kept' })).not.toBe(first)
	})

	// Proves: input.interpreted
	it('tells each fault with a pointer', () => {
		const validate = compileSchema({
			type: 'object',
			required: ['a', 'c'],
			additionalProperties: false,
			properties: { a: { type: 'string' }, 'b/ü': { type: 'array', items: { type: 'integer', maximum: 3 } } },
		})
		expect(validate({ a: 'x', c: 1 }, asker)).toEqual([{ path: '/c', message: 'is not allowed here' }])
		expect(validate({ a: 1, 'b/ü': [1, 9, 'x'], z: 1 }, asker)).toEqual([
			{ path: '/c', message: 'is required' },
			{ path: '/a', message: 'must be string, is number' },
			{ path: '/b~1ü/1', message: '9 is greater than 3' },
			{ path: '/b~1ü/2', message: 'must be integer, is string' },
			{ path: '/z', message: 'is not allowed here' },
		])
	})

	it('finds the same schema again by its content', () => {
		expect(compileSchema({ type: 'string', maxLength: 3 })).toBe(
			compileSchema({ maxLength: 3, type: 'string' }),
		)
	})

	// Proves: input.time-bound
	it('answers at once where nothing in the schema can take long, and by the worker otherwise', async () => {
		expect(compileSchema({ type: 'string' })('x', asker)).toEqual([])
		const answer = compileSchema({ type: 'string', pattern: '^a+$' })('aaa', asker)
		expect(answer).toBeInstanceOf(Promise)
		expect(await answer).toEqual([])
		expect(compileSchema({ type: 'array' })(Array.from({ length: 6000 }), asker)).toBeInstanceOf(Promise)
	})

	// Proves: input.time-bound
	it('gives up on a pattern that takes for ever, and answers the next value', async () => {
		const evil = compileSchema({ type: 'string', pattern: '^(a+)+$' })
		const calm = compileSchema({ type: 'string', format: 'email' })
		const [first, second] = await Promise.all([
			evil(`${'a'.repeat(40)}!`, asker),
			calm('someone@example.com', asker),
		])
		expect(first).toEqual([
			{ path: '', message: 'takes over 250 ms of CPU time to check against its schema', timed_out: true },
		])
		expect(second).toEqual([])
	})

	// Proves: input.time-bound
	it('gives up on references that never end and on those that meet exponentially', async () => {
		expect(await compileSchema({ $ref: '#' })(1, asker)).toEqual([
			{ path: '', message: expect.stringContaining('cannot be checked') },
		])
		const $defs = Object.fromEntries(
			Array.from({ length: 40 }, (_, n) => [
				`d${n}`,
				{ allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
			]),
		)
		const doubling = { $defs: { ...$defs, d40: true }, $ref: '#/$defs/d0' }
		expect(checkSchema(doubling)).toEqual([])
		expect(await compileSchema(doubling)(1, asker)).toEqual([
			{ path: '', message: 'takes over 250 ms of CPU time to check against its schema', timed_out: true },
		])
	})

	it('leaves the schema it was given as it was', () => {
		const schema = { $defs: { a: { type: 'string' } }, properties: { x: { type: 'number' } } }
		const before = structuredClone(schema)
		compileSchema(schema)
		expect(schema).toEqual(before)
	})
})

describe('checkSchema', () => {
	// Proves: bundle.published-schema
	it('takes the published schema of agent.yaml', async () => {
		expect(checkSchema(JSON.parse(await readFile('bundles/agent.schema.json', 'utf8')))).toEqual([])
	})

	// Proves: bundle.schema-faults
	it.each([
		[{ type: 'text' }, ['type'], /one or several/],
		[{ minimum: '1' }, ['minimum'], /number/],
		[{ properties: { a: { required: 'b' } } }, ['properties', 'a', 'required'], /list of strings/],
		[{ required: ['a', 'a'] }, ['required'], /each once/],
		[{ type: ['string', 'string'] }, ['type'], /one or several/],
		[{ examples: 'a' }, ['examples'], /must be a list/],
		[{ items: [{}] }, ['items'], /object, true or false/],
		[{ anyOf: [] }, ['anyOf'], /list of schemas/],
		[{ $ref: 'https://example.com/x' }, ['$ref'], /leads nowhere/],
		[{ $dynamicRef: '#x' }, ['$dynamicRef'], /not supported/],
		[{ $schema: 'http://json-schema.org/draft-07/schema#' }, ['$schema'], /2020-12/],
		[{ patternProperties: { '[': {} } }, ['patternProperties', '['], /regular expression/],
		[{ $id: 'http://[' }, [], /URL/],
		['text', [], /object, true or false/],
		[{ properties: { q: { $ref: '#/properties/q' } } }, ['properties', 'q', '$ref'], /without an end/],
		[{ anyOf: [{ type: 'null' }, { $ref: '#' }] }, ['anyOf', 1, '$ref'], /without an end/],
	])('refuses %j', (schema, path, message) => {
		expect(checkSchema(schema)).toEqual([{ path, message: expect.stringMatching(message) }])
	})

	// Proves: bundle.schema-faults
	it('refuses references that lead round and round, and takes a schema that repeats below itself', () => {
		const round = {
			$defs: {
				a: { $ref: '#/$defs/b' },
				b: { allOf: [{ $ref: '#c' }] },
				c: { $anchor: 'c', oneOf: [{ $ref: '#/$defs/a' }] },
			},
			$ref: '#/$defs/a',
		}
		expect(checkSchema(round).map(({ path }) => path)).toEqual([
			['$defs', 'a', '$ref'],
			['$defs', 'b', 'allOf', 0, '$ref'],
			['$defs', 'c', 'oneOf', 0, '$ref'],
		])
		const tree = {
			properties: { left: { $ref: '#' }, rest: { items: { anyOf: [{ $ref: '#' }, { type: 'null' }] } } },
		}
		expect(checkSchema(tree)).toEqual([])
	})

	// Proves: bundle.nesting
	it('refuses what nests too deep', () => {
		let schema: object = {}
		for (let depth = 0; depth < 100; depth++) schema = { items: schema }
		expect(checkSchema(schema)).toHaveLength(1)
	})
})
