// A passage that is the claim but for one word, or one sign, that makes it say the contrary.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))
const verdictOn = (claim: string, evidence: string) =>
	engine.verify({ claims: [claim], evidence: [evidence] }).results[0]!.verdict

const PAIRS: [one: string, other: string][] = [
	['More than 40 boats sank.', 'Fewer than 40 boats sank.'],
	['Mehr als 40 Boote sanken.', 'Weniger als 40 Boote sanken.'],
	['Plus de 40 bateaux ont coulé.', 'Moins de 40 bateaux ont coulé.'],
	['Пришло больше 40 гостей.', 'Пришло меньше 40 гостей.'],
	['The loss is -7 euros.', 'The loss is 7 euros.'],
	['The level is −7 cm.', 'The level is 7 cm.'],
	['The balance is -$5,000.', 'The balance is $5,000.'],
	['They left before lunch.', 'They left after lunch.'],
	['Er ging vor der Arbeit.', 'Er ging nach der Arbeit.'],
	['The fair is in May.', 'The fair is in August.'],
	['The boat leaves at 7 a.m.', 'The boat leaves at 7 p.m.'],
	['The pump is on.', 'The pump is off.'],
	['The cat is in the box.', 'The cat is out of the box.'],
	['Over 12s may enter.', 'Under 12s may enter.'],
	['It was her first book.', 'It was her last book.'],
	['The fee is paid by the buyer.', 'The fee is paid by the seller.'],
	['It weighs 3 pounds.', 'It weighs 3 ounces.'],
	['He hardly speaks.', 'He speaks.'],
	['合同已取消。', '合同未取消。'],
]

describe('of two texts that say the contrary', () => {
	// Proves: judge.contrary
	test.each(PAIRS)('neither verifies the other: %s, %s', (one, other) => {
		expect([verdictOn(one, other), verdictOn(other, one)]).toEqual(['contradicted', 'contradicted'])
		expect([verdictOn(one, one), verdictOn(other, other)]).toEqual(['verified', 'verified'])
	})

	test('an amount that agrees makes nothing of two opposites', () => {
		expect(verdictOn('The factory closed in 1999.', 'The factory opened in 1999.')).toBe('contradicted')
		expect(verdictOn('The factory opened in 1999.', 'The factory opened in 1999.')).toBe('verified')
	})

	test.each([
		['It is 20-25 degrees.', 'It is 20–25 degrees.'],
		['The code is A-7.', 'The code is A-7.'],
		['Nobody came.', 'Nobody came.'],
		['Niemand kam.', 'Niemand kam.'],
	])('the same is verified: %s, %s', (one, other) => {
		expect(verdictOn(one, other)).toBe('verified')
	})

	test('what another passage says, too, is not contradicted', () => {
		expect(verdictOn('The pump is on.', 'The pump is on. The pump is off.')).not.toBe('contradicted')
	})
})
