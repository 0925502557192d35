// Exceptions, corrections, ranks, parts, order in time, whose sister it is: decided by plain rules of language.
import { expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))
const verdict = (evidence: string, claim: string) =>
	engine.verify({ claims: [claim], evidence: [evidence] }).results[0]?.verdict

test.each([
	['Everyone except Tom came to the meeting.', 'Tom came to the meeting.'],
	['The discount applies to all items excluding shoes.', 'The discount applies to shoes.'],
	['The flight takes off at 9:40, not 9:10.', 'The flight takes off at 9:10.'],
	['The fee is 30 euros, not 20.', 'The fee is 20 euros.'],
	['Lisbon is the second largest city in the country.', 'Lisbon is the largest city in the country.'],
	['The runner finished third.', 'The runner won the race.'],
	['Three of the five lifts work.', 'All five lifts work.'],
	['Only a handful of students passed.', 'Most students passed.'],
	['She moved to Rome after finishing school.', 'She finished school after moving to Rome.'],
	['The boat was sold by Hale to Kim.', 'Kim sold the boat to Hale.'],
	['Team A beat Team B 3-1.', 'Team B won 3-1.'],
	['The match ended in a draw.', 'Team A won the match.'],
])('"%s" says that it is not so that "%s"', (evidence, claim) => {
	expect(verdict(evidence, claim)).toBe('contradicted')
})

test.each([
	["Hale's sister is a doctor.", 'Hale is a doctor.'],
	['A friend of Hale bought the boat.', 'Hale bought the boat.'],
	['More than 500 people live there.', '900 people live there.'],
])('"%s" leaves open that "%s"', (evidence, claim) => {
	expect(verdict(evidence, claim)).not.toBe('verified')
})

test.each([
	['Nobody except Tom came to the meeting.', 'Tom came to the meeting.'],
	['Everyone except Tom came to the meeting.', 'Tom did not come to the meeting.'],
	['Lisbon is the second largest city in the country.', 'Lisbon is the second largest city in the country.'],
	['He has worked here since 2015.', 'He worked here in 2018.'],
	['Three of the five lifts work.', 'Two of the five lifts do not work.'],
	['Team A beat Team B 3-1.', 'Team B lost.'],
	["Hale's sister Ruth is a doctor.", "Hale's sister is a doctor."],
])('"%s" says that "%s"', (evidence, claim) => {
	expect(verdict(evidence, claim)).toBe('verified')
})

test('a proposition behind other words of the same sentence is not repeated by it', () => {
	const asked = (context: string) =>
		engine.noul({ propositions: ['Tom came to the meeting.'], context }).probabilities[0]
	expect(asked('Everyone except Tom came to the meeting.')).toBeLessThan(0.5)
	expect(asked('We met at noon. Tom came to the meeting.')).toBeGreaterThan(0.9)
})
