// Words of scope: what they decide of a claim beside one short text, and what they leave to the model.
import { expect, test } from 'vitest'
import { scopeSays } from '../../../../connector/judge/rules/scope.ts'

const CASES: [says: -1 | 0 | 1, claim: string, text: string][] = [
	[-1, 'Anna has signed.', 'Neither Anna nor Ben has signed.'],
	[1, 'Ben has not signed.', 'Neither Anna nor Ben has signed.'],
	[0, 'Carla has signed.', 'Neither Anna nor Ben has signed.'],
	[0, 'Anna can come.', 'Neither Anna nor Ben can come on Monday.'],
	[1, 'The shop has a lift.', 'Both the shop and the office have a lift.'],
	[-1, 'Only the shop has a lift.', 'Both the shop and the office have a lift.'],
	[-1, 'The cellar was painted.', 'Apart from the cellar, everything was painted.'],
	[1, 'The cellar was not painted.', 'Everything except the cellar was painted.'],
	[-1, 'Everything was painted.', 'Everything except the cellar was painted.'],
	[0, 'The roof was painted.', 'The house is new. Everything except the cellar was painted.'],
	[1, 'Only the nurse can open the cabinet.', 'Nobody but the nurse can open the cabinet.'],
	[-1, 'The nurse cannot open the cabinet.', 'Nobody but the nurse can open the cabinet.'],
	[-1, 'Several people can open the cabinet.', 'Nobody but the nurse can open the cabinet.'],
	[-1, 'Everyone may use the lift.', 'Only residents may use the lift.'],
	[1, 'People who are not residents may not use the lift.', 'Only residents may use the lift.'],
	[0, 'All residents use the lift.', 'Only residents may use the lift.'],
	[-1, 'The pool is open on Mondays.', 'The pool is open every day except Monday.'],
	[1, 'The pool is open on Tuesdays.', 'The pool is open every day except Monday.'],
	[0, 'The pool opens at nine.', 'The pool is open every day except Monday.'],
	[-1, 'Nearly everyone read the letter.', 'Hardly anyone read the letter.'],
	[1, 'Very few people read the letter.', 'Hardly anyone read the letter.'],
	[-1, 'The boat can still be hired.', 'It is no longer possible to hire the boat.'],
	[1, 'The boat could be hired in the past.', 'It is no longer possible to hire the boat.'],
	[0, 'Petrol is no longer a cheap fuel.', 'Petrol is no longer a cheap liquid fuel.'],
	[-1, 'The tank has already been filled.', 'The tank has not been filled yet.'],
	[1, 'The tank is still waiting to be filled.', 'The tank has not been filled yet.'],
	[0, 'Only five guests have had a cold.', 'Only five guests have had a cold or a cough.'],
	[0, 'The tank is big.', 'The tank has not been filled yet.'],
]

test.each(CASES)('%i: %s ← %s', (says, claim, text) => {
	expect(scopeSays(claim, text)).toBe(says)
})

test('a long word costs no more than its length', () => {
	const long = 'a'.repeat(4_000)
	for (const text of [
		`Only ${long} can ${long}.`,
		`${long} is ${long} every day`,
		`Neither ${long} nor ${long} is x.`,
	])
		expect(scopeSays(`Only ${long} can sing.`, text.repeat(3))).toBe(0)
})
