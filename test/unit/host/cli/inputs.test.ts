import { expect, test } from 'vitest'
import { UsageError } from '../../../../host/owner/cli/failure.ts'
import { inputsOf } from '../../../../host/owner/cli/inputs.ts'
import type { Deployment } from '../../../../host/owner/client/index.ts'

const deployment = {
	agent: { inputs: { properties: { question: { type: 'string' } } } },
} as unknown as Deployment

// Proves: cli.input-once
test('an input that is given twice is wrong usage, and one over --inputs is not', () => {
	const given = (input: string[], inputs?: string) => () =>
		inputsOf({ input, ...(inputs && { inputs }) }, deployment)
	expect(given(['question=a', 'n=1', 'question=b'])).toThrow(
		new UsageError('--input gives question more than once'),
	)
	expect(given(['question=1', 'n=1'], '{"question":"a","m":2}')()).toEqual({ question: '1', n: 1, m: 2 })
})

// Proves: cli.input-text
test('an input is text where its schema takes text and not what the text would be as JSON', () => {
	const properties = {
		list: { type: ['string', 'null'] },
		ref: { $ref: '#/$defs/text' },
		anchor: { $ref: '#text' },
		choice: { enum: ['1', '2'] },
		any: { anyOf: [{ type: 'string' }, { type: 'null' }] },
		both: { type: ['string', 'integer'] },
		number: { type: 'number' },
		quoted: { type: 'string' },
		open: {},
		circle: { $ref: '#/properties/circle' },
	}
	const $defs = { text: { $anchor: 'text', type: 'string' } }
	const agent = { inputs: { properties, $defs } }
	const input = ['list', 'ref', 'anchor', 'choice', 'any', 'both', 'number', 'open', 'circle'].map(
		(name) => `${name}=1`,
	)
	expect(inputsOf({ input: [...input, 'quoted="1"'] }, { agent })).toEqual({
		...{ list: '1', ref: '1', anchor: '1', choice: '1', any: '1', quoted: '"1"' },
		...{ both: 1, number: 1, open: 1, circle: 1 },
	})
	expect(inputsOf({ input: ['list=null', 'any=null', 'ref=null'] }, { agent })).toEqual({
		...{ list: null, any: null, ref: 'null' },
	})
})
