/** A test file of its own for Node's runner: each recorded run of `BERTH_TEST_CASES` (a JSON list of files) is a test. */
import assert from 'node:assert/strict'
import { basename, dirname } from 'node:path'
import { test } from 'node:test'
import { comparable } from './kept-files.ts'
import { played } from './recorded.ts'
import { run } from './run.ts'

const files = JSON.parse(process.env.BERTH_TEST_CASES ?? '[]') as string[]

for (const file of files) {
	test(`${basename(file, '.json')} (recorded)`, async () => {
		const recorded = played(file)
		const { output } = await run(recorded.inputs, { ...recorded, agent: dirname(dirname(file)) })
		assert.deepEqual(comparable(output), recorded.output)
	})
}
