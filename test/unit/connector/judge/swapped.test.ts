// A passage that says the claim with one other word.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { type Swapped, swapped } from '../../../../connector/judge/rules/swapped.ts'
import { phraseOf } from '../../../../connector/judge/text/phrase.ts'

const CASES: [claim: string, evidence: string, says: Swapped | null][] = [
	['The lake is warm.', 'The tea is warm.', 'beside'],
	['My aunt is here.', 'My plumber is here.', 'beside'],
	['He owns a trumpet.', 'He owns a clarinet.', 'rival'],
	['They live in a castle.', 'They live in a tent.', 'beside'],
	['Le lac est calme.', 'Le port est calme.', 'beside'],
	['He purchased a lamp.', 'He bought a lamp.', null],
	['She has a car.', 'She has an old car.', null],
	['An animal sleeps.', 'A horse sleeps.', null],
	['The sofa is blue.', 'The couch is blue.', null],
	['It costs 4 euros.', 'It costs 5 euros.', null],
	['He met Olga.', 'He met Ivana and Olga.', null],
	['The lake is warm.', 'The lake is warm.', null],
	['', '', null],
]

describe('one other word', () => {
	// Proves: judge.one-other-word
	test.each(CASES)('%s ← %s', (claim, evidence, says) => {
		expect(swapped(phraseOf(claim), phraseOf(evidence))).toBe(says)
	})

	test('does not verify, however often it stands there', () => {
		const engine = createEngine(loadModels(weightsFile('judge.bin')))
		const verdictOn = (claim: string, evidence: string) =>
			engine.verify({ claims: [claim], evidence: [evidence] }).results[0]!.verdict
		expect(verdictOn('The lake is warm.', 'The tea is warm.')).not.toBe('verified')
		expect(verdictOn('The lake is warm.', 'The tea is warm. '.repeat(200))).not.toBe('verified')
		expect(verdictOn('Our cat is ill.', 'Our dog is ill.')).not.toBe('verified')
		expect(verdictOn('Our dog is ill.', 'Our dog is ill.')).toBe('verified')
	})
})
