import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'
import { isUrgent } from './urgent.ts'

test('an outage is urgent', async () => {
	const { output, logs } = await run(
		{ message: 'Your site is down since this morning.' },
		{ model: script(['{"topic":"bug"}', 'The site is down.']) },
	)
	assert.deepEqual(output, { topic: 'bug', urgent: true, summary: 'The site is down.' })
	assert.deepEqual(
		logs.map(({ message }) => message),
		['sorted'],
	)
})

test('a summary is asked for in English unless the caller says otherwise', async () => {
	const { requests } = await run(
		{ message: 'Rechnung?', language: 'German' },
		{ model: script(['{"topic":"billing"}', 'Eine Frage zur Rechnung.']) },
	)
	assert.match(JSON.stringify(requests[1]?.messages), /in German/)
})

test('the rule alone', () => {
	assert.equal(isUrgent('I lost my data', 'bug'), true)
	assert.equal(isUrgent('I lost my invoice', 'billing'), false)
})
