// Of several options that a short text names, the one beside the words of the question.
import { expect, test } from 'vitest'
import { closestOn } from '../../../../connector/judge/builtin/closest.ts'

test.each([
	['What does the child menu cost?', ['24 €', '11 €'], 'The menu is 24 €, the child menu is 11 €.', 1],
	[
		'How long is the notice period?',
		['Ten days', 'Three months'],
		'The notice is three months; payments follow within ten days.',
		1,
	],
	['Welche Farbe hat das Sofa?', ['Grün', 'Gelb'], 'Das Sofa ist grün, die Kissen sind gelb.', 0],
	[
		'¿Cuándo es el examen?',
		['3 de junio', '10 de junio'],
		'La clase es el 3 de junio, el examen es el 10 de junio.',
		1,
	],
	['Когда экзамен?', ['3 июня', '10 июня'], 'Лекция 3 июня, экзамен 10 июня.', 1],
])('%s %j', (question, options, context, nearest) => {
	const near = closestOn(question, options, context)
	expect(near.indexOf(Math.max(...near))).toBe(nearest)
	expect(near.reduce((sum, one) => sum + one, 0)).toBeCloseTo(0)
})

test('options that are not named, questions of where somebody is and long texts gain nothing', () => {
	const none = [0, 0]
	expect(closestOn('What is wrong?', ['Late', 'Broken'], 'The lamp came in pieces.')).toEqual(none)
	expect(closestOn('Where is Ann?', ['Rome', 'Oslo'], 'Ann was in Rome. Ann is in Oslo.')).toEqual(none)
	const long = `Ann paid the bill, Ben did not. ${'word '.repeat(200)}`
	expect(closestOn('Who paid the bill?', ['Ann', 'Ben'], long)).toEqual(none)
})
