// What plain reading picks of the options of a question on a short text; and that it picks nothing where nothing decides.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { onlyOneBeside } from '../../../../connector/judge/builtin/hints.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { pickOf } from '../../../../connector/judge/rules/picks.ts'
import { cpuMs } from '../../../kit/cpu.ts'

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
	['matches', 'Who lost the match?', ['Ajax', 'Genk'], 'Ajax beat Genk.', 1],
	['matches', 'Who won?', ['Nobody', 'Genk', 'Ajax'], 'Genk lost to Ajax in May.', 2],
	['matches', 'Who won?', ['Genk', 'Ajax'], 'Ajax played in Genk.', -1],
	['denied', 'What is the code?', ['A', 'B', 'C'], 'The code is not A. It is not C either.', 1],
	['denied', 'What is the code?', ['A', 'B', 'C', 'D'], 'The code is not A. It is not C either.', -1],
	[
		'now',
		'Where is the cat now?',
		['roof', 'kitchen'],
		'The cat was on the roof; now it sleeps in the kitchen.',
		1,
	],
	['now', 'Where was the cat?', ['roof', 'sofa'], 'The cat was on the roof; now it is on the sofa.', -1],
	['places', 'Where is Ann?', ['kitchen', 'garden'], 'Ann went to the garden. Bo went to the kitchen.', -1],
	['units', 'Which cable is longer?', ['blue', 'red'], 'The blue cable is 1.5 m, the red one 90 cm.', 0],
	['units', 'Which takes longer?', ['Rust', 'Go'], 'Rust takes 2 hours, Go takes 45 minutes.', 0],
	['units', 'Which file is bigger?', ['a', 'b'], 'File a has 900 KB, file b has 1.4 MB.', 1],
	['units', 'Which course is longest?', ['C', 'Go'], 'C: 3 weeks. Go: 2 months.', 1],
	['units', 'Which batch is larger?', ['north', 'south'], 'North has 2k units, south has 900.', -1],
	[
		'units',
		'Which plan is cheaper?',
		['Solo', 'Crew'],
		'Solo costs 12 euros per month, Crew 99 per year.',
		-1,
	],
	['units', 'Which hotel is cheaper?', ['Alba', 'Brisa'], 'Alba has 4 stars. Brisa has 3 stars.', -1],
	['units', 'Which is cheaper?', ['tea', 'coffee'], 'Tea costs 0.125 euros, coffee 0.5 euros.', 0],
	['units', 'Which is heavier?', ['bag', 'box'], 'The bag weighs 1.250 kg, the box 1.3 kg.', -1],
	['units', 'Which city is colder?', ['Oslo', 'Rome'], 'Oslo has -12 degrees, Rome has 5 degrees.', 0],
	['dates', 'Who joined last?', ['Ann', 'Ben'], 'Ann joined on 3 May, Ben joined on 2 June.', 1],
	['clocks', 'Which closes later?', ['Aldo', 'Brix'], 'Aldo closes at 11 am, Brix closes at 5 pm.', 1],
	['clocks', 'Which message is older?', ['red', 'blue'], 'Red came at 10:05, blue came at 9:30.', 1],
	['clocks', 'Who finished first?', ['Ann', 'Ben'], 'Ann scored 90 points, Ben scored 80.', -1],
	[
		'versions',
		'Which version is older?',
		['Alpha', 'Beta'],
		'Alpha is version 2.1, Beta is version 2.4.',
		-1,
	],
	[
		'versions',
		'Which release is newer?',
		['Alpha', 'Beta'],
		'Alpha is release 2.10, Beta is release 2.9.',
		-1,
	],
	['bounds', 'Which plan has at least 5 seats?', ['Solo', 'Crew'], 'Solo has 1 seat, Crew has 8 seats.', -1],
	['bounds', 'Which is most affordable?', ['Solo', 'Crew'], 'Solo costs 10 euros, Crew costs 30 euros.', -1],
	[
		'bounds',
		'Which bug has the highest priority?',
		['Login', 'Search'],
		'Login: priority 1. Search: priority 3.',
		-1,
	],
	['clocks', '¿Quién llegó último?', ['Ana', 'Eva'], 'Ana llegó a las 9:05, Eva a las 9:20.', 1],
	['clocks', 'Welcher Zug fährt zuerst?', ['RE', 'IC'], 'RE fährt um 9:58, IC um 9:30.', 1],
	['states', '¿Quién llegó último?', ['Ana', 'Eva'], 'Ana llegó con Luis, Eva sola.', -1],
	['ages', 'Wer ist am ältesten?', ['Uwe', 'Jan', 'Kai'], 'Uwe ist 41, Jan 38 und Kai 52.', 2],
	['denials', 'Which is not the cheapest?', ['bag', 'box'], 'The bag costs 12 euros, the box 30 euros.', -1],
	[
		'denials',
		'Which order was not delivered?',
		['lamp', 'desk'],
		'The lamp was delivered. The desk is on its way.',
		1,
	],
	['denials', 'Welches Zimmer ist nicht frei?', ['Rose', 'Tulpe'], 'Rose ist frei. Tulpe ist belegt.', 1],
	[
		'denials',
		'Which door is shut?',
		['front', 'back'],
		'The front door is not closed. The back door is locked.',
		1,
	],
	['denials', 'Which dish is not vegan?', ['soup', 'pie'], 'The pie is not vegan, the soup is vegan.', -1],
	['other times', 'Where is Ann?', ['Rome', 'Oslo'], 'Ann flew to Rome. Ann will fly to Oslo next week.', -1],
	[
		'other times',
		'Where is Ann?',
		['kitchen', 'garden'],
		'Ann is in the kitchen. Ann never goes to the garden.',
		0,
	],
	[
		'other times',
		'Which plan did he have before?',
		['Basic', 'Pro'],
		'He moved from Basic to Pro in May.',
		-1,
	],
	['other times', 'Which city did she leave?', ['Rome', 'Oslo'], 'She moved from Rome to Oslo.', -1],
	['other times', 'What is the state?', ['open', 'closed'], 'It was closed and opened again on Monday.', -1],
	[
		'other times',
		'Who approves expenses?',
		['Kim', 'Luis'],
		'Kim used to approve expenses. Luis does it.',
		1,
	],
	['what is out', 'Which shop is closed?', ['Aldo', 'Brix'], 'Aldo is closed today. Brix has a sale.', -1],
	['what is out', 'What was replaced?', ['pump', 'valve'], 'We installed a valve instead of the pump.', -1],
	[
		'a word in another',
		'Where is Ann?',
		['lab', 'pub'],
		'Annual day: Ann went to the lab. Ann went to the pub.',
		1,
	],
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
		['Who did not sign the contract?', ['Ann', 'Ben'], 'Ann signed the contract. Ben refused.', 1],
		['Who signed the contract?', ['Ann', 'Ben'], 'Ann never signed the contract. Ben had to.', 1],
		['Who did not sign the contract?', ['Ann', 'Ben', 'Cy'], 'Ann signed the contract. Ben refused.', -1],
		[
			'Wer unterschrieb den Vertrag?',
			['Anna', 'Ben'],
			'Anna unterschrieb den Vertrag ohne Sorge. Ben fehlt.',
			0,
		],
		['Who else signed the contract?', ['Ann', 'Ben'], 'Ann signed the contract. So did Ben.', -1],
		['Who approves expenses now?', ['Kim', 'Luis'], 'Kim used to approve expenses. Luis does it.', -1],
		['¿Quién llegó último?', ['Ana', 'Luis'], 'Ana llegó a las 9:05, Luis a las 9:20.', -1],
	])('or the clause with the words of %s', (question, options, text, pick) => {
		expect(onlyOneBeside(question, options, text)).toBe(pick)
	})
})

// Proves: judge.picks
test('of one option nothing, and in a time that grows with the length of the question', () => {
	expect(pickOf('Which is cheaper?', ['tea'], 'Tea costs 5 euros.')).toBe(-1)
	expect(onlyOneBeside('Who signed the contract?', ['Ann'], 'Ann signed the contract.')).toBe(-1)
	const took = cpuMs(() => {
		for (const length of [500, 100_000]) pickOf(`Where is ${'a'.repeat(length)}!`, ['x', 'y'], 'It is in x.')
	})
	expect(took).toBeLessThan(500)
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

// Proves: judge.statements
test.each([
	[
		'Which statement is false?',
		['The pool is heated.', 'The pool is indoors.'],
		'The heated pool lies in the garden.',
		1,
	],
	[
		'Which statement is not true?',
		['All rooms are booked.', 'Some rooms are free.'],
		'Two rooms are free.',
		0,
	],
	[
		'Which statement contradicts the text?',
		['The train is late.', 'The train is on time.'],
		'The train is delayed by ten minutes.',
		1,
	],
	['Welche Aussage ist falsch?', ['Der Laden ist offen.', 'Der Laden ist zu.'], 'Der Laden ist heute zu.', 0],
])('of statements that one which the text contradicts: %s', (question, options, context, place) => {
	const { probabilities } = createEngine(loadModels(weightsFile('judge.bin'))).choice({
		question,
		options,
		context,
	})
	expect(probabilities[place]).toBeGreaterThan(0.5)
})
