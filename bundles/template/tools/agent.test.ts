import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'
import { calculate } from './skills/arithmetic/tools.ts'

test('the answer comes from the tool', async () => {
	const { output, calls } = await run(
		{ question: 'What is 17 times 23?' },
		{
			model: script([
				{ calls: [{ name: 'calculate', input: { operation: 'multiply', a: 17, b: 23 } }] },
				'It is 391.',
			]),
		},
	)
	assert.equal(output, 'It is 391.')
	assert.deepEqual(calls, [
		{ name: 'calculate', input: { operation: 'multiply', a: 17, b: 23 }, ok: true, output: '391' },
	])
})

test('a tool is a function like any other', () => {
	const context = undefined as never
	assert.throws(() => calculate.run({ operation: 'divide', a: 1, b: 0 }, context), /division by zero/)
})
