import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'

test('an answer that does not fit the schema is asked for again', async () => {
	const facts = [{ fact: 'Tea is a plant.', sure: true }]
	const { output, requests } = await run(
		{ question: 'What is tea?' },
		{ model: script(['Tea is a plant.', JSON.stringify({ facts })]) },
	)
	assert.deepEqual(output, { facts })
	assert.equal(requests.length, 2)
})
