/** Questions whose options are verdicts on a claim, and those that only knowledge of the world answers. */
import { expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { claimIn, verdictOptions } from '../../../../connector/judge/builtin/verdicts.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))
const OPTIONS = ['It refutes the claim', 'It leaves the claim open', 'It confirms the claim']
const chosen = (context: string, question = 'What does the text say about the claim?', options = OPTIONS) => {
	const { probabilities, basis } = engine.choice({ question, options, context })
	return { option: options[probabilities.indexOf(Math.max(...probabilities))], basis }
}

test.each([
	['Claim: The office is closed on Sundays.\nEvidence: We are closed on Sundays.', 'It confirms the claim'],
	['Evidence: We are open on Sundays.\nClaim: The office is closed on Sundays.', 'It refutes the claim'],
	[
		'Claim: Lund has 90,000 inhabitants.\nText: Parking costs two euros.\nIt is free after eight.',
		'It leaves the claim open',
	],
	[
		'Behauptung: Die Rechnung ist bezahlt.\nText: Die Rechnung ist noch nicht bezahlt.',
		'It refutes the claim',
	],
])('a claim and its evidence are read by their labels: %s', (context, option) => {
	expect(chosen(context)).toEqual({ option, basis: 'evidence' })
})

test('a claim stands in the question, or behind "that"', () => {
	const context = 'The shop opens at nine.'
	expect(claimIn('Claim: It opens at nine.', context)).toEqual({
		claim: 'It opens at nine.',
		evidence: context,
	})
	expect(claimIn('Does the text support the claim that it opens at nine?', context)).toEqual({
		claim: 'it opens at nine',
		evidence: context,
	})
	expect(claimIn('Is it?', 'Text: a\nText: b')).toMatchObject({ evidence: 'Text: a\nText: b' })
})

test('verdicts are known in other words, and what only resembles them is left alone', () => {
	expect(verdictOptions(['Correct', 'Incorrect', 'Cannot be determined'])).toEqual([0, 1, 2])
	expect(verdictOptions(['Not enough information', 'Supported', 'Refuted'])).toEqual([2, 0, 1])
	expect(verdictOptions(['Approve', 'Reject', 'Ask the manager'])).toBeNull()
	expect(verdictOptions(['true', 'false'])).toBeNull()
})

test('a question of nothing but marks takes no longer than it is', () => {
	const marks = '?'.repeat(100_000)
	const { claim } = claimIn(`Does the text say that ${marks}a${marks}`, 'It is so.')
	expect(claim).toBe(`${marks}a`)
})

test('whom a pronoun means is not told by words', () => {
	const question = 'In this sentence, who does "she" refer to?'
	const { probabilities, basis } = engine.choice({
		question,
		options: ['the cook', 'the guest'],
		context: 'The cook told the guest that she had burnt the soup.',
	})
	expect({ probabilities, basis }).toEqual({ probabilities: [0.5, 0.5], basis: 'none' })
})
