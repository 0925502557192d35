// A claim within what somebody claims, doubts or does not know; and its plain denial.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { isEmbedded } from '../../../../connector/judge/rules/embedded.ts'
import { cpuMs } from '../../../kit/cpu.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))
const verdict = (claim: string, evidence: string) =>
	engine.verify({ claims: [claim], evidence: [evidence] }).results[0]!.verdict

describe('a claim within a sentence', () => {
	// Proves: judge.frames
	test.each([
		['The bridge is safe.', 'Nobody can say that the bridge is safe.', true],
		['The minister lied.', 'A paper claims the minister lied.', true],
		['The tea is hot.', 'It is not clear whether the tea is hot.', true],
		['The tea is hot.', 'There is no doubt that the tea is hot.', false],
		['The tea is hot.', 'Ben says that the tea is hot.', false],
		['The tea is hot.', 'Ben thinks the tea is hot. The tea is hot.', false],
		['Yes.', 'Ben claims yes.', false],
	])('%s ← %s', (claim, evidence, is) => {
		expect(isEmbedded(claim, evidence)).toBe(is)
		if (is) expect(verdict(claim, evidence)).toBe('unsupported')
	})
})

describe('by plain rules', () => {
	// Proves: judge.frames
	test.each([
		['The vote failed.', 'The vote did not fail.'],
		['The vote did not fail.', 'The vote failed.'],
		['The car stopped.', "The car didn't stop."],
	])('a denial contradicts: %s ← %s', (claim, evidence) => {
		expect(verdict(claim, evidence)).toBe('contradicted')
	})

	// Proves: judge.amounts
	test.each([
		['More than ten people came.', 'Ten people came.', 'contradicted'],
		['At least ten people came.', 'Ten people came.', 'verified'],
		['The film starts at 8 pm.', 'The film starts at 20:00.', 'verified'],
		['The film starts at 8 pm.', 'The film starts at 8:00.', 'verified'],
		['The film starts at 8 am.', 'The film starts at 20:00.', 'contradicted'],
		['The film starts at 12 am.', 'The film starts at 12 pm.', 'contradicted'],
	])('%s ← %s', (claim, evidence, is) => {
		expect(verdict(claim, evidence)).toBe(is)
	})

	// Proves: judge.frames
	test('200,000 characters are read in time', () => {
		const took = cpuMs(() => {
			for (const piece of ['a', 'no ', 'did not ', '8 pm '])
				verdict('The bridge is safe.', piece.repeat(200_000 / piece.length))
		})
		expect(took).toBeLessThan(6_000)
	})
})
