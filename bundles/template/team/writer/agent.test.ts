import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'

test('the writer asks the researcher and reads what it answers', async () => {
	const { output, calls, requests } = await run(
		{ subject: 'tea' },
		{
			model: script([
				{ calls: [{ name: 'researcher', input: { question: 'What is tea?' } }] },
				'Tea is made from a plant.',
			]),
			tools: {
				researcher: ({ question }: { question: string }) => ({
					facts: [{ fact: `About "${question}": a plant.`, sure: true }],
				}),
			},
		},
	)
	assert.equal(output, 'Tea is made from a plant.')
	assert.deepEqual(calls[0]?.input, { question: 'What is tea?' })
	assert.match(JSON.stringify(requests[1]?.messages), /a plant/)
})

test('a researcher that fails is a failed call, not the end', async () => {
	const { output, calls } = await run(
		{ subject: 'tea' },
		{
			model: script([
				{ calls: [{ name: 'researcher', input: { question: 'What is tea?' } }] },
				'I could not find out.',
			]),
			tools: {
				researcher: () => {
					throw new Error('busy')
				},
			},
		},
	)
	assert.equal(output, 'I could not find out.')
	assert.equal(calls[0]?.ok, false)
})
