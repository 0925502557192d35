import { expect, test } from 'vitest'
import { glossed, languageRead } from '../../../../connector/judge/builtin/glossed.ts'
import { nearerThanMost } from '../../../../connector/judge/builtin/nearest.ts'
import { phraseOf } from '../../../../connector/judge/text/phrase.ts'
import { LANGUAGES } from '../../../../connector/judge/text/stopwords.ts'

const languageIn = (text: string) => languageRead(phraseOf(text).words, text)
const inEnglish = (text: string) => glossed(text, languageIn(text)!)

// Proves: judge.glosses
test('words that have a common English one are read as that, in their own order', () => {
	const german = 'Der Hund hat die Katze im Garten gesehen.'
	expect(LANGUAGES[languageIn(german)!]).toBe('de')
	expect(inEnglish(german).split(' ')).toEqual(expect.arrayContaining(['dog', 'cat', 'garden']))
	expect(inEnglish('В этом городе есть новая школа и большая больница.')).toMatch(/city|town/)
	expect(inEnglish('The Hund is called Max.')).toBe('The Hund is called Max.')
})

// Proves: judge.glosses
test('a text in another script, or in no letters, is not read', () => {
	expect(languageIn('荷物がまだ届いていません。')).toBeNull()
	expect(languageIn('Το δέμα δεν έφτασε ακόμα.')).toBeNull()
	expect(languageIn('12.5 + 3')).toBeNull()
})

// Proves: judge.glosses
test.each([
	[
		'Wo kann ich mein Auto abstellen?',
		'Der Parkplatz ist hinter dem Haus.',
		'Die Suppe kommt aus der Küche.',
	],
	['¿Dónde puedo dejar el coche?', 'El aparcamiento está detrás de la casa.', 'La sopa viene de la cocina.'],
])('what is meant is nearer, also in other words: %s', (query, meant, other) => {
	const [first, second] = nearerThanMost(phraseOf(query), query, [meant, other], [0, 0])
	expect(first!).toBeGreaterThan(second!)
})
