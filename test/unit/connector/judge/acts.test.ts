// What a text does and how it is written, as propositions; and denials that deny nothing, or more than one word.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { levelOf } from '../../../../connector/judge/builtin/labels.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { placeOn } from '../../../../connector/judge/builtin/scale.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { actIn } from '../../../../connector/judge/rules/acts.ts'
import { cpuMs } from '../../../kit/cpu.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))
const holds = (proposition: string, context: string) =>
	engine.noul({ propositions: [proposition], context }).probabilities[0]!

describe('what a text does', () => {
	// Proves: judge.acts
	test.each([
		['The writer apologises.', 'We are sorry for the delay.', true],
		['The writer apologises.', 'The parcel is late again.', false],
		['The message thanks the team.', 'Many thanks to all of you!', true],
		['The sender thanks us.', 'The sender has left the building.', false],
		['The text is an advertisement.', 'Three for two, only this weekend!', true],
		['The writer asks for help.', 'The printer jams. How can I fix it?', true],
		['The writer wants to meet.', 'Shall we meet on Friday?', true],
		['The text is a warning.', 'Caution: the floor is wet.', true],
	])('%s ← %s', (proposition, context, is) => {
		expect(holds(proposition, context) > 0.5).toBe(is)
		expect(holds(proposition, context)).toBeLessThan(0.9)
	})

	// Proves: judge.acts
	test('leaves to the models what has no words of its own', () => {
		expect(actIn('is an advertisement', () => 'our lamps are bright')).toBe(null)
		expect(actIn('lives in rome', () => 'thanks')).toBe(null)
	})

	// Proves: judge.acts
	test.each([
		['The message is urgent.', 'Please call back immediately!', true],
		['The message is urgent.', 'No rush, whenever you find the time.', false],
		['The reply is rude.', 'Shut up, you idiot.', true],
		['The letter is formal.', 'Dear Sir or Madam, I hereby apply.', true],
	])('%s ← %s', (proposition, context, is) => {
		expect(holds(proposition, context) > 0.5).toBe(is)
	})

	// Proves: judge.acts
	test('knows the words of a scale', () => {
		expect(levelOf('rude')).toEqual({ name: 'polite', side: -1 })
		expect(levelOf('wooden')).toBe(null)
	})
})

// Proves: judge.acts
test.each([
	['The food was far from good.', false],
	['The staff was anything but friendly.', false],
	['I cannot recommend it enough!', true],
	['I cannot recommend it.', false],
	['Nobody came. Never again.', false],
])('%s praises: %s', (text, praises) => {
	expect(placeOn('good', text)!.place > 0.5).toBe(praises)
})

// Proves: judge.acts
test('who is angry is likely to cancel, and unlikely to come back', () => {
	const ask = (question: string) => {
		const levels = ['unlikely', 'likely']
		const { probabilities } = engine.score({ question, levels, context: 'I am furious. Awful service.' })
		return probabilities[1]!
	}
	expect(ask('How likely is the customer to cancel?')).toBeGreaterThan(0.5)
	expect(ask('How likely is the customer to return?')).toBeLessThan(0.5)
})

// Proves: judge.acts
test('200,000 characters are read in time', () => {
	const took = cpuMs(() => {
		for (const piece of ['a', 'free ', 'likely ', 'not '])
			holds('The text is an advertisement.', piece.repeat(200_000 / piece.length))
	})
	expect(took).toBeLessThan(6_000)
})
