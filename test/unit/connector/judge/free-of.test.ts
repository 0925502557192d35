// What a thing does not contain, beside a claim that it does or does not.
import { expect, test } from 'vitest'
import { freeOfSays } from '../../../../connector/judge/rules/free-of.ts'
import { plainlySays } from '../../../../connector/judge/rules/plainly.ts'
import { cpuMs } from '../../../kit/cpu.ts'

// Proves: judge.plain-rules
test.each([
	['The soup contains nuts.', 'Free of nuts, milk and gluten.', -1],
	['The juice contains sugar.', 'Our juice is free from sugar.', -1],
	['The tea contains no caffeine.', 'Caffeine-free tea from Japan.', 1],
	['The soup contains salt.', 'Free of nuts, milk and gluten.', 0],
	['The soup contains nuts.', 'Contains nuts.', 0],
	['Die Suppe enthält Milch.', 'Frei von Milch und Gluten.', -1],
	['', '', 0],
])('%s ← %s', (claim, evidence, says) => {
	expect(freeOfSays(claim, evidence)).toBe(says)
	if (says) expect(plainlySays(claim, evidence)).toBe(says)
})

// Proves: judge.plain-rules
test('300 characters and 200,000 are read in time', () => {
	const took = cpuMs(() => {
		for (const piece of ['a', 'free of ', 'a-', 'free of a,'])
			for (const units of [300, 200_000])
				freeOfSays('The soup contains nuts.', piece.repeat(units / piece.length))
	})
	expect(took).toBeLessThan(2_000)
})
