import { expect, test } from 'vitest'
import { answer, type Guest, world } from '../../../kit/engine/fakes.ts'

// A model's answer beside the schema that the call asked for.

const SCHEMA = {
	type: 'object',
	required: ['items'],
	properties: { items: { type: 'array', items: { $ref: '#/$defs/item' } } },
	$defs: { item: { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } } },
}

const asking = (output: unknown) => (guest: Guest) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [], output })

async function faultOf(content: string, stop: 'end' | 'length' | 'refusal' = 'end', output: object = SCHEMA) {
	let reply: unknown
	const { outcome } = await world({
		program: async (guest) => {
			reply = await asking(output)(guest)
			return 'done'
		},
		model: async () => answer(content, { stop }),
	}).begin()
	expect(outcome.status).toBe('succeeded')
	return (reply as { fault?: string }).fault
}

// Proves: program.answer-checked
test('says where an answer breaks the schema, however deep', async () => {
	expect(await faultOf('{"items":[{"code":"ABC"}]}')).toBeUndefined()
	expect(await faultOf('```json\n{"items":[]}\n```')).toBeUndefined()
	expect(await faultOf('{"items":[{"code":"ABC"},{"code":"abc"}]}')).toBe(
		'/items/1/code must match ^[A-Z]{3}$',
	)
	expect(await faultOf('{}')).toBe('/items is required')
	expect(await faultOf('[]')).toBe('/ must be object, is array')
	expect(await faultOf('sure')).toBe('it is not JSON')
	expect(await faultOf('{"items":[', 'length')).toBe('it is not JSON')
	expect(await faultOf('I will not', 'refusal')).toBeUndefined()
})

// Proves: program.answer-checked
test('a schema that is none is refused before the provider is asked', async () => {
	const { requests, begin } = world({
		program: async (guest) => void (await asking({ type: 'strin' })(guest)),
	})
	const { outcome } = await begin()
	expect(outcome).toMatchObject({
		status: 'failed',
		error: {
			code: 'agent_error',
			message: expect.stringContaining('no JSON Schema: /type type must be one or several of array'),
		},
	})
	expect(requests).toEqual([])
})
