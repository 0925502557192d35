// Propositions about the text itself: its language, what is in it, whether it asks, what it is about.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { ofText } from '../../../../connector/judge/rules/of-text.ts'

const CASES: [proposition: string, text: string, holds: boolean | null][] = [
	['The text is in German.', 'Der Zug fährt heute nicht nach Hause.', true],
	['The text is written in French.', 'Der Zug fährt heute nicht nach Hause.', false],
	['Der Text ist auf Englisch.', 'The train does not run today.', true],
	['The message contains an e-mail address.', 'Write to ada@example.com.', true],
	['The message contains an e-mail address.', 'Write to Ada @ home.', false],
	['The message does not contain a phone number.', 'Call 030 555 1234.', false],
	['Does the text mention a price?', 'A ride costs €4.', true],
	['The letter names a date.', 'We meet on 5 May.', true],
	['The letter names a date.', 'We may meet.', false],
	['The writer asks a question.', 'When do you open?', true],
	['The article is about politics.', 'The minister spoke in parliament.', true],
	['The minister asks a question.', 'When do you open?', null],
	['The letter names a date of birth and an address.', 'We meet on 5 May.', null],
]

describe('of a text itself', () => {
	// Proves: judge.of-text
	test.each(CASES)('%s ← %s', (proposition, text, holds) => {
		const said = ofText(proposition, text)
		expect(said === null ? null : said > 0.5).toBe(holds)
	})

	// Proves: judge.of-text
	test.each([
		['The review is positive.', 'Great food and friendly staff.', true],
		['The review is positive.', 'Never again, awful service.', false],
		['The review is negative.', 'Never again!', true],
	])('%s ← %s, as it praises', (proposition, context, holds) => {
		const engine = createEngine(loadModels(weightsFile('judge.bin')))
		const { probabilities } = engine.noul({ propositions: [proposition], context })
		expect(probabilities[0]! > 0.5).toBe(holds)
	})
})
