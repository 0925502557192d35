// Other languages than English: which one a phrase is in, and what its words mean.
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'
import { languageOf, meaningId } from '../../../../connector/judge/text/languages.ts'
import { wordId } from '../../../../connector/judge/text/lexicon.ts'
import { phraseOf } from '../../../../connector/judge/text/phrase.ts'
import { LANGUAGES } from '../../../../connector/judge/text/stopwords.ts'

const languageNamed = (text: string) => LANGUAGES[languageOf(phraseOf(text).words)]

describe('a phrase is taken to be in the language', () => {
	test.each([
		['en', 'The man plays the guitar.'],
		['en', 'EquityResearch assistant'],
		['en', 'guitar'],
		['en', ''],
		['de', 'Ein Mann spielt Gitarre.'],
		['es', 'Un hombre toca la guitarra.'],
		['fr', 'Un homme joue de la guitare.'],
		['it', 'Un uomo suona la chitarra.'],
		['pt', 'Um homem está tocando violão.'],
		['nl', 'Een man speelt gitaar.'],
		['ru', 'Мужчина играет на гитаре.'],
		['es', 'Perros corren libremente'],
	])('%s of its commonest words, or of those it knows: %s', (language, text) => {
		expect(languageNamed(text)).toBe(language)
	})
})

describe('a word means the English one', () => {
	test.each([
		['de', 'hunde', 'dog'],
		['de', 'spielte', 'play'],
		['de', 'getotet', 'kill'],
		['de', 'kleinkind', 'child'],
		['es', 'hombres', 'man'],
		['es', 'jugando', 'play'],
		['fr', "l'homme", 'man'],
		['fr', 'mangent', 'eat'],
		['it', 'chitarre', 'guitar'],
		['ru', 'играет', 'play'],
	] as const)('whatever its ending is: %s %s is %s', (language, word, english) => {
		expect(meaningId(word, LANGUAGES.indexOf(language))).toBe(wordId(english))
	})

	test('not where it is among the commonest of its language, or not a word', () => {
		for (const word of ['die', 'und', 'qwrtz', '', "'"]) expect(meaningId(word, 1)).toBe(-1)
	})
})

test('sentences of one sense in other words are nearer than those of another, in three languages', () => {
	const engine = createEngine(loadModels(weightsFile('judge.bin')))
	const levels = ['nothing in common', 'same topic', 'roughly the same', 'the same']
	const expected = (a: string, b: string) =>
		engine
			.score({
				question: 'How similar in meaning are the two sentences?',
				levels,
				context: `1) ${a}\n2) ${b}`,
			})
			.probabilities.reduce((sum, p, i) => sum + p * i, 0)
	for (const [one, same, other] of [
		['Das Boot sinkt schnell.', 'Ein Schiff geht rasch unter.', 'Ein Koch schneidet das Brot.'],
		[
			'El coche rojo corre por la calle.',
			'Un automóvil corre por la carretera.',
			'Un niño come pan en la cocina.',
		],
		['La voiture rouge roule vite.', 'Une automobile roule dans la rue.', 'Un enfant mange du pain.'],
	] as const)
		expect(expected(one, same)).toBeGreaterThan(expected(one, other) + 0.2)
})
