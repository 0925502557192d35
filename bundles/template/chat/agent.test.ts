import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'

test('the model is sent the whole conversation', async () => {
	const { output, requests } = await run(
		{
			messages: [
				{ role: 'user', content: 'My name is Ada.' },
				{ role: 'assistant', content: 'Hello Ada.' },
				{ role: 'user', content: 'What is my name?' },
			],
		},
		{ model: script(['Your name is Ada.']) },
	)
	assert.equal(output, 'Your name is Ada.')
	assert.deepEqual(
		requests[0]?.messages.map(({ content }) => content),
		['My name is Ada.', 'Hello Ada.', 'What is my name?'],
	)
	assert.match(requests[0]?.system ?? '', /helpful assistant/)
})

test('a provider that is down ends the run', async () => {
	const model = script([{ error: { code: 'provider_unavailable', message: 'scripted' } }])
	await assert.rejects(run({ messages: [{ role: 'user', content: 'Hello' }] }, { model }), {
		code: 'provider_unavailable',
	})
})
