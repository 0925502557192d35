// What blind probes showed: levels that are measures or times, sides by meaning, a few short candidates, records, and due days.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projected } from '../../../../connector/judge/builtin/projected.ts'
import { createJudge, type Judge } from '../../../../connector/judge/index.ts'
import { comparedSays } from '../../../../connector/judge/rules/compared.ts'
import { dueSays } from '../../../../connector/judge/rules/due.ts'
import { horizonLevel, horizonsOf, soonest } from '../../../../connector/judge/rules/horizons.ts'
import { insteadSays } from '../../../../connector/judge/rules/instead.ts'
import { languageAmong } from '../../../../connector/judge/rules/of-text.ts'
import { permitSays } from '../../../../connector/judge/rules/permits.ts'
import { rangedLevel } from '../../../../connector/judge/rules/ranged.ts'
import { recordOf } from '../../../../connector/judge/rules/records.ts'
import { shiftedSays } from '../../../../connector/judge/rules/shifted.ts'
import { trendSays } from '../../../../connector/judge/rules/trends.ts'
import { comparable, valueIn } from '../../../../connector/judge/rules/values.ts'
import { winnerOf } from '../../../../connector/judge/rules/winners.ts'

const { signal } = new AbortController()
let judge: Judge
beforeAll(async () => {
	judge = await createJudge({ backends: ['builtin'] })
})
afterAll(() => judge.close())

describe('levels', () => {
	test.each([
		['How full is the disk?', ['0-25%', '26-50%', '51-75%', '76-100%'], 'Disk /dev/sda1: 82% used', 3],
		['How long did it take?', ['under an hour', '1 to 3 hours', 'over 3 hours'], 'It took 45 minutes.', 0],
		['How often did it fail?', ['never', 'once', '2-5 times', 'more than 5 times'], 'It failed 3 times.', 2],
		['How many of these does it name?', ['none of them', 'one of them', 'two of them'], 'Order 2.', -1],
		['How good is it?', ['1 star', '2 stars', '3 stars'], 'It has 2 stars on the lid.', -1],
	])('are ranges of what the text gives: %s %s', (question, levels, text, place) => {
		expect(rangedLevel(question, levels, text)).toBe(place)
	})

	test('are times from now, and the soonest that is wanted counts', () => {
		const hours = horizonsOf('How soon is it needed?', ['within the hour', 'today', 'this month', 'any time'])
		expect(horizonLevel(hours!, soonest('Please send it by tonight.')!)).toBe(1)
		expect(horizonsOf('How good is it?', ['today', 'this month'])).toBeNull()
	})

	test('of no known scale go by what the words mean', async () => {
		expect(projected(['mild', 'hot'], 'My mouth was on fire.')).toBeGreaterThan(0.5)
		const { probabilities } = await judge.score(
			{ question: 'How spicy is it?', levels: ['mild', 'hot'], context: 'My mouth was on fire.' },
			signal,
		)
		expect(probabilities[1]).toBeGreaterThan(0.5)
	})
})

describe('claims', () => {
	test.each([
		[comparedSays, 'Lake A is deeper than Lake B.', 'Lake B reaches 88 metres; Lake A has 31 metres.', -1],
		[
			insteadSays,
			'The train leaves from platform 5.',
			'The train leaves from platform 12 instead of platform 5.',
			-1,
		],
		[insteadSays, 'Jon replaced John as lead.', 'Jon became lead instead of John.', 0],
		[dueSays, 'The invoice was paid late.', 'Payable by 31 March. Payment received on 12 April.', 1],
		[dueSays, 'The invoice was paid on time.', 'Payable by 31 March. Payment received on 12 April.', -1],
		[shiftedSays, 'The flight leaves later than planned.', 'The flight was moved from 14:10 to 15:45.', 1],
		[permitSays, 'Dogs may be kept.', 'Dogs must not be kept here.', -1],
		[permitSays, 'Dogs may be kept.', 'Dogs are welcome.', 0],
		[
			trendSays,
			'More people live there than ten years ago.',
			'2015 - 18,204 people; 2025 - 21,977 people',
			1,
		],
	])('%o: %s', (says, claim, evidence, expected) => {
		expect(says(claim, evidence)).toBe(expected)
	})
})

describe('options', () => {
	test('are rows or parts of which one has all that is asked', () => {
		const table =
			'| hotel | pool | dogs |\n|-|-|-|\n| Ada | yes | no |\n| Bea | yes | yes |\n| Cleo | no | yes |'
		expect(recordOf('Which hotel has a pool and takes dogs?', ['Ada', 'Bea', 'Cleo'], table)).toBe(1)
		const list = "Leroy : anglais courant, pas d'allemand. Diallo : allemand courant."
		expect(recordOf("Qui parle l'allemand courant ?", ['Leroy', 'Diallo'], list)).toBe(1)
	})

	test('name the language of the text', () => {
		const text = 'Olá Marta, não te esqueças de comprar pão e leite para o jantar.'
		expect(languageAmong('In which language is it?', ['Greek', 'Portuguese'], text)).toBe(1)
	})

	test('with two marks for thousands and fractions are compared', () => {
		expect(comparable([valueIn('2,400 g')!, valueIn('3.1 kg')!])?.values).toEqual([2_400, 3_100])
		expect(comparable([valueIn('1.250 kg')!, valueIn('1.3 kg')!])).toBeNull()
	})

	test('that the text does not name are no pairs of a match', () => {
		const many = Array.from({ length: 26 }, (_, i) => `${String.fromCharCode(65 + i)}tonia`)
		expect(winnerOf('Who won?', many, 'Dtonia lost to Htonia.')).toBe(7)
		expect(winnerOf('Who won?', many, 'Nobody played.')).toBe(-1)
	})
})

test('among a few short candidates shared words are often chance, and none is sure', async () => {
	const candidates = [
		'Delivery times over Christmas',
		'Compensation for goods broken in transit',
		'Chess pieces',
	]
	const { scores } = await judge.find({ query: 'pay in instalments', candidates }, signal)
	expect(scores.reduce((sum, score) => sum + score, 0)).toBeLessThan(1)
	expect(scores.indexOf(Math.max(...scores))).toBe(1)
})

test('a manner is read by meaning in other languages, and where no word is shared nothing is sure', async () => {
	const noul = async (proposition: string, context: string) =>
		(await judge.noul({ propositions: [proposition], context }, signal)).probabilities[0]!
	const angry = 'Das ist eine Frechheit, ich warte seit Wochen und niemand antwortet!'
	expect(await noul('Der Kunde ist verärgert.', angry)).toBeGreaterThan(0.5)
	expect(await noul('The job is part-time.', '20 hours a week, mornings only.')).toBeGreaterThan(0.33)
})
