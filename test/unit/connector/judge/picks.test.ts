// What plain reading picks of the options of a question on a short text; and that it picks nothing where nothing decides.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { onlyOneBeside } from '../../../../connector/judge/builtin/hints.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { pickOf } from '../../../../connector/judge/rules/picks.ts'

const CASES: [kind: string, question: string, options: string[], text: string, pick: number][] = [
	[
		'the least',
		'Which kettle is cheaper?',
		['Kettle A', 'Kettle B'],
		'Kettle A: 30 euros. Kettle B: 25 euros.',
		1,
	],
	['the most', 'Which boat leaves later?', ['Ida', 'Ulla'], 'Ida leaves at 9:40, Ulla at 10:05.', 1],
	['ages', 'Who is older?', ['Lea', 'Tim'], 'Lea was born in 1990, Tim in 1985.', 1],
	['ages', 'Who is younger?', ['Lea', 'Tim'], 'Lea is 9, Tim is 12.', 0],
	['ages', 'Who is younger?', ['Lea', 'Tim'], 'Lea is 12, and Tim is 12.', -1],
	['states', 'Which colour is left?', ['Red', 'Blue'], 'Red: sold out. Blue: 4 pieces.', 1],
	['states', 'What is the status?', ['Approved', 'Rejected', 'Pending'], 'Your request was turned down.', 1],
	['states', 'What is the status?', ['Paid', 'Unpaid'], 'It was not paid.', 1],
	['states', 'What is the status?', ['Paid', 'Unpaid'], 'A was paid, B is overdue.', -1],
	['what is no longer so', 'Which plan is it?', ['Basic', 'Pro'], 'You moved from Basic to Pro in May.', 1],
	[
		'what is no longer so',
		'Which day is it?',
		['Monday', 'Friday'],
		'It used to be on Monday; now it is on Friday.',
		1,
	],
	['what is no longer so', 'Which day is it?', ['Monday', 'Friday'], 'It is on Monday and on Friday.', -1],
	[
		'lines of a mail',
		'Who wrote the mail?',
		['Ada King', 'Bo Lind'],
		'From: Ada King\nTo: Bo Lind\nHi Bo',
		0,
	],
	[
		'lines of a mail',
		'Who is the mail for?',
		['Ada King', 'Bo Lind'],
		'From: Ada King\nTo: Bo Lind\nHi Bo',
		1,
	],
	['places', 'Where is Ann?', ['kitchen', 'garden'], 'Ann went to the garden. Ann went to the kitchen.', 0],
	[
		'places',
		'Where was Ann before the kitchen?',
		['kitchen', 'garden'],
		'Ann went to the garden. Then she went to the kitchen.',
		1,
	],
	['places', 'Where is Ann?', ['kitchen', 'garden'], 'Ann went to the garden. Bo went to the kitchen.', -1],
]

describe('of options, what plain reading picks', () => {
	// Proves: judge.picks
	test.each(CASES)('by %s: %s', (_, question, options, text, pick) => {
		expect(pickOf(question, options, text)).toBe(pick)
		const turned = pickOf(question, options.toReversed(), text)
		expect(turned).toBe(pick < 0 ? -1 : options.length - 1 - pick)
	})

	// Proves: judge.picks
	test.each([
		['When is the exam?', ['2 May', '30 June'], 'Course starts 2 May; exam on 30 June.', 1],
		['How many chairs are there?', ['6', '4'], 'There are 6 chairs and 4 lamps.', 0],
		['How many chairs are there?', ['6', '4'], 'Rows of 6 and of 4.', -1],
	])('or the clause with the words of %s', (question, options, text, pick) => {
		expect(onlyOneBeside(question, options, text)).toBe(pick)
	})
})

// Proves: judge.statements
test('of statements that one follows which rules verify', () => {
	const engine = createEngine(loadModels(weightsFile('judge.bin')))
	const { probabilities } = engine.choice({
		question: 'Which of these follows from the text?',
		options: ['The amount is 12,000 g.', 'The amount is 20 kg.', 'The amount is 1500 grams.'],
		context: 'We ordered 1.5 kg of rice.',
	})
	expect(probabilities.indexOf(Math.max(...probabilities))).toBe(2)
	expect(Math.max(...probabilities)).toBeGreaterThan(0.5)
})

// Proves: judge.picks
test.each([
	['How urgent is it?', ['Urgent', 'Not urgent'], 'Our shop is down, help us immediately!', 0],
	['How urgent is it?', ['Not urgent', 'Urgent'], 'Our shop is down, help us immediately!', 1],
	['What is the sentiment?', ['Positive', 'Negative'], 'I could not be happier with it.', 0],
])('two ends of a scale in any order: %s %j', (question, options, context, first) => {
	const engine = createEngine(loadModels(weightsFile('judge.bin')))
	const { probabilities } = engine.choice({ question, options, context })
	expect(probabilities.indexOf(Math.max(...probabilities))).toBe(first)
})
