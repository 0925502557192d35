import { expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { amongLevels, bySharing } from '../../../../connector/judge/builtin/weighed-levels.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { degreesOf, shareIn } from '../../../../connector/judge/text/degrees.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))

function said(question: string, levels: string[], context: string): string | undefined {
	const { probabilities } = engine.score({ question, levels, context })
	return levels[probabilities.indexOf(Math.max(...probabilities))]
}

// Proves: judge.weighed-levels
test.each([
	[
		'How is the film?',
		['awful', 'middling', 'brilliant'],
		'Neither good nor bad, I would not watch it twice.',
		'middling',
	],
	[
		'How damp is the cellar?',
		['dry', 'a little damp', 'soaking'],
		'A bit of damp in one corner, nothing else.',
		'a little damp',
	],
	[
		'Wie war das Konzert?',
		['schlecht', 'mittel', 'großartig'],
		'Weder schlecht noch gut, eben ein Konzert.',
		'mittel',
	],
	[
		'How strong is the smell?',
		['none', 'faint', 'unbearable'],
		'A faint smell of paint by the stairs.',
		'faint',
	],
])('a text says how far it goes, and shares words with its level: %s', (question, levels, text, level) => {
	expect(said(question, levels, text)).toBe(level)
})

// Proves: judge.weighed-levels
test.each([
	[
		'How full is the hall?',
		['empty', 'a quarter full', 'half full', 'full'],
		'98 of 200 seats were taken.',
		'half full',
	],
	['How many have answered?', ['everyone', 'most', 'some', 'nobody'], '9 out of 40 forms came back.', 'some'],
])(
	'a share that the text gives is placed between nothing and everything: %s',
	(question, levels, text, level) => {
		expect(said(question, levels, text)).toBe(level)
	},
)

// Proves: judge.weighed-levels
test('half of something else is no share where no level is a part', () => {
	expect(
		bySharing(['no damage', 'scratches', 'severe', 'completely destroyed'], 'Half the roof is gone.'),
	).toBeNull()
	const [none, half, all] = bySharing(['empty', 'half full', 'full'], 'Half the seats are taken.')!
	expect(half).toBeGreaterThan(none! + all!)
	expect(shareIn('it took 3 of 2 days', true)).toBeNull()
})

// Proves: judge.weighed-levels
test('turned levels turn the answer, and where nothing speaks it is even', () => {
	const levels = ['cheap', 'fair', 'expensive']
	const text = 'Four hundred for a chair is an expensive joke.'
	const there = engine.score({ question: 'How dear is it?', levels, context: text }).probabilities
	const back = engine.score({ question: 'How dear is it?', levels: [...levels].reverse(), context: text })
	for (const [i, share] of [...back.probabilities].reverse().entries())
		expect(share).toBeCloseTo(there[i]!, 9)
	expect(amongLevels('Wie?', ['xq', 'xw', 'xz'], 'qqq rrr')).toBeNull()
	expect(engine.score({ question: 'Wie?', levels: ['xq', 'xw', 'xz'], context: 'qqq rrr' }).basis).toBe(
		'none',
	)
})

// Proves: judge.weighed-levels
test('how hard a thing is to do is told by its text, not by how that is written', () => {
	expect(
		said('How difficult is the tour?', ['easy', 'moderate', 'hard'], 'An easy walk, flat all the way.'),
	).toBe('easy')
})

// Proves: judge.weighed-levels
test.each([
	['so-so, could go either way', [1, 0, 0]],
	['a bit loud at night', [0, 1, 0]],
	['nobody ever answered', [0, 0, 1]],
	['the door is green', [0, 0, 0]],
])('reads the degree of "%s"', (text, degrees) => {
	expect(degreesOf(text)).toEqual(degrees)
})
