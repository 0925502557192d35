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
