import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'

const draft = 'Tea was first grown in Norway. It is a nice drink.'
const found = (quote: string, finding: string) => ({ findings: [{ quote, finding }] })

test('both colleagues are asked, and the model gets what they found', async () => {
	const { output, calls, requests } = await run(
		{ draft },
		{
			model: script(['Tea was first grown in China.']),
			tools: {
				'fact-checker': () => found('in Norway', 'wrong: it was China'),
				'style-critic': () => found('a nice drink', 'says nothing'),
			},
		},
	)
	assert.deepEqual(output, { article: 'Tea was first grown in China.', findings: 2, missing: [] })
	assert.deepEqual(calls.map(({ name }) => name).sort(), ['fact-checker', 'style-critic'])
	assert.match(JSON.stringify(requests[0]?.messages), /it was China.*says nothing/)
})

test('a colleague that fails is named, and no model is asked where nothing was found', async () => {
	const { output, logs } = await run(
		{ draft },
		{
			model: script([]),
			tools: {
				'fact-checker': () => {
					throw new Error('busy')
				},
				'style-critic': () => ({ findings: [] }),
			},
		},
	)
	assert.deepEqual(output, { article: draft, findings: 0, missing: ['fact-checker'] })
	assert.equal(logs[0]?.message, 'fact-checker did not answer')
})
