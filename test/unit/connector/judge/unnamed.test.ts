// Options none of which a short English text names are read with their question and compared with the text as sentences.
import { expect, test } from 'vitest'
import { answerFeatures } from '../../../../connector/judge/builtin/answers.ts'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { amongUnnamed } from '../../../../connector/judge/builtin/unnamed.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'

const none = (options: readonly string[]) => options.map(() => 0)
/** With words and topics that tell nothing. */
const asked = (question: string, options: readonly string[], context: string) =>
	amongUnnamed({
		question,
		options,
		context,
		rows: answerFeatures(question, options, context),
		margins: none(options),
		hints: none(options),
		meant: none(options),
	})

const QUESTION = 'What does the customer need?'
const OPTIONS = ['A replacement', 'Directions to the shop', 'An invoice']
const TEXT = 'Hello, the kettle arrived today with a broken lid, could you please send me another one?'

// Proves: judge.unnamed
test('the option that means the same is likeliest, wherever it stands', () => {
	for (const options of [OPTIONS, OPTIONS.toReversed()]) {
		const shares = asked(QUESTION, options, TEXT)!
		expect(options[shares.indexOf(Math.max(...shares))]).toBe('A replacement')
		expect(shares.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1)
	}
})

// Proves: judge.unnamed
test('a text that names an option, a long text or question and another tongue are not read so', () => {
	expect(asked(QUESTION, [...OPTIONS, 'A lid'], TEXT)).toBeNull()
	expect(asked(QUESTION, OPTIONS, TEXT.repeat(12))).toBeNull()
	expect(
		asked(`${'After all that was said here and before, '.repeat(4)}what is it?`, OPTIONS, TEXT),
	).toBeNull()
	expect(asked('何が必要ですか', ['交換', '請求書'], '残念ながら蓋が壊れています。')).toBeNull()
})

// Proves: judge.unnamed
test('of many options eight are read, and no option is surer than its share of what is kept back allows', () => {
	const many = Array.from({ length: 60 }, (_, i) => `Matter of kind ${'abcdefghij'[i % 10]}${i}`)
	const { probabilities } = createEngine(loadModels(weightsFile('judge.bin'))).choice({
		question: QUESTION,
		options: [...many, 'A replacement'],
		context: TEXT,
	})
	// What is not read is as likely as the least likely of those read, where words tell nothing.
	const least = Math.min(...asked(QUESTION, many, TEXT)!)
	expect(asked(QUESTION, many, TEXT)!.filter((share) => share > least + 1e-9)).toHaveLength(7)
	expect(Math.min(...probabilities)).toBeGreaterThan(0)
	expect(Math.max(...probabilities)).toBeLessThanOrEqual(0.91)
})
