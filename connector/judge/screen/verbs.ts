/** English verbs in their base form, as an order has them: words of the lexicon that it also knows with "ing". */
import { wordId } from '../text/lexicon.ts'
import { STOP_WORDS } from '../text/stopwords.ts'

const ENDED = /(?:ing|ed|ly|ss|s)$/

export function isVerb(word: string): boolean {
	if (
		word.length < 2 ||
		(ENDED.test(word) && !SINGULAR.has(word)) ||
		STOP_WORDS.has(word) ||
		wordId(word) < 0
	)
		return false
	const stem = word.endsWith('e') ? word.slice(0, -1) : word
	return [`${word}ing`, `${stem}ing`, `${word}${word.at(-1)}ing`].some((form) => wordId(form) >= 0)
}

/** Base forms that end like another form. */
const SINGULAR = new Set(
	'pass press discuss process access address dismiss bypass bring sing ring reply apply need feed speed proceed'.split(
		' ',
	),
)
