/**
 * Texts as the encoder reads them: English as it stands, eight other languages with each word that has a common English
 * one in its place. Their order and their small words stay, so that less is to be made of what it says.
 */
import { wholePieces } from '../encoder/index.ts'
import { read } from '../text/document.ts'
import { languageOf, meaningId } from '../text/languages.ts'
import { wordId } from '../text/lexicon.ts'
import { LANGUAGES } from '../text/stopwords.ts'

/** The share of letters that belong to the language's script. */
const OWN_SHARE = 0.9

/** Place in `LANGUAGES`; null where the text is of none of them. */
export function languageRead(words: readonly string[], text: string): number | null {
	const letters = text.match(/\p{L}/gu) ?? []
	const language = languageOf(words)
	const script =
		LANGUAGES[language] === 'ru' ? /\p{Script=Cyrillic}/u : language ? /\p{Script=Latin}/u : /[a-z]/i
	const own = letters.filter((letter) => script.test(letter)).length
	return letters.length > 0 && own >= OWN_SHARE * letters.length ? language : null
}

export function glossed(text: string, language: number): string {
	if (language === 0) return text
	const words = read(text).sentences.flatMap((sentence) => sentence.words)
	return words.map((word) => english().get(meaningId(word, language)) ?? word).join(' ')
}

let known: Map<number, string> | undefined

/** By place in the lexicon. */
function english(): Map<number, string> {
	known ??= new Map(wholePieces().map((word) => [wordId(word), word]))
	return known
}
