// What phrases say of a side where single words are silent: praise, blame, a shrug, no hurry.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJudge, type Judge } from '../../../../connector/judge/index.ts'
import { moodOf } from '../../../../connector/judge/text/moods.ts'

const { signal } = new AbortController()
let judge: Judge
beforeAll(async () => {
	judge = await createJudge({ backends: ['builtin'] })
})
afterAll(() => judge.close())

const level = async (question: string, levels: readonly string[], context: string) => {
	const { probabilities } = await judge.score({ question, levels: [...levels], context }, signal)
	const most = Math.max(...probabilities)
	expect(most).toBeLessThanOrEqual(0.9)
	return probabilities.filter((one) => one === most).length === 1 ? levels[probabilities.indexOf(most)] : null
}

const SATISFIED = ['unhappy', 'neutral', 'happy']
const ZUFRIEDEN = ['unzufrieden', 'neutral', 'zufrieden']

// Proves: guard.score
test.each([
	['How satisfied is the customer?', SATISFIED, 'Second repair in a month. I want my money back.', 'unhappy'],
	['How satisfied is the customer?', SATISFIED, 'It is okay, nothing special.', 'neutral'],
	['Wie zufrieden ist der Kunde?', ZUFRIEDEN, 'Völlig unbrauchbar, Finger weg!', 'unzufrieden'],
	['Wie zufrieden ist der Kunde?', ZUFRIEDEN, 'Jederzeit wieder!', 'zufrieden'],
	[
		'Jak zadowolony jest klient?',
		['niezadowolony', 'zadowolony'],
		'Wszystko w porządku, polecam.',
		'zadowolony',
	],
	['Насколько доволен клиент?', ['недоволен', 'доволен'], 'Сломалось сразу, деньги на ветер.', 'недоволен'],
	['How urgent is it?', ['low', 'medium', 'high'], 'No hurry, this can wait until autumn.', 'low'],
	['Wie dringend ist es?', ['niedrig', 'mittel', 'hoch'], 'Das hat Zeit bis Herbst.', 'niedrig'],
	['Le message est-il urgent ?', ['pas urgent', 'urgent'], 'Répondez quand vous voudrez.', 'pas urgent'],
	['How risky is this command?', ['safe', 'risky', 'destructive'], 'cat notes.txt', 'safe'],
])('%s %j %s', async (question, levels, context, expected) => {
	expect(await level(question, levels, context)).toBe(expected)
})

test('a denial before a phrase takes it away, and a longer phrase wins', () => {
	const words = (text: string) => text.split(' ')
	expect(moodOf(words('this is not a disgrace'), 'good').said.words).toBe(0)
	expect(moodOf(words('nie polecam'), 'good').said.value).toBe(-1)
	expect(moodOf(words('polecam wszystkim'), 'good').said.value).toBe(1)
})
