/**
 * How much of a text the lexicon can read, sentence by sentence, and in how many languages and scripts it is written. Where
 * words are unknown the detectors see little; one unread sentence among read ones stands out.
 */
import { classOf, LETTER } from '../text/chars.ts'
import type { Sentence } from '../text/document.ts'
import { languageOf, meaningId } from '../text/languages.ts'
import { wordId } from '../text/lexicon.ts'
import { STOP_WORDS } from '../text/stopwords.ts'

export const TONGUES = ['unread.top', 'unread.mean', 'unread.out', 'scripts', 'languages'] as const

const MOST_SENTENCES = 200
const MOST_WORDS = 40
const FEWEST_WORDS = 4
/** Beyond this place the lexicon has names and words of other languages. */
const COMMON_ENGLISH = 30_000
/** Where each script's block of letters ends: Latin, Greek, Cyrillic, Hebrew and Arabic, of India, Thai; then East Asia. */
const BLOCKS = [0x250, 0x400, 0x530, 0x700, 0xe00, 0xe80, 0x2e80]
/** Scripts from this one on are not in the lexicon: nothing is said of their words. */
const NOT_LISTED = 3

const scriptOf = (word: string): number => {
	const unit = word.charCodeAt(0)
	const at = BLOCKS.findIndex((end) => unit < end)
	return at < 0 ? BLOCKS.length : at
}

export function tonguesOf(sentences: readonly Sentence[]): number[] {
	let [top, sum, read] = [0, 0, 0]
	const scripts = new Set<number>()
	const languages = new Set<number>()
	for (const { words } of sentences.slice(0, MOST_SENTENCES)) {
		if (words.length < FEWEST_WORDS) continue
		scripts.add(scriptOf(words[0]!))
		const language = languageOf(words)
		const unread = unreadIn(words.slice(0, MOST_WORDS), language, scripts)
		if (unread === null) continue
		languages.add(language)
		top = Math.max(top, unread)
		sum += unread
		read++
	}
	const mean = read ? sum / read : 0
	return [top, mean, top - mean, Math.min(3, scripts.size), Math.min(4, languages.size)]
}

/** Share of the words that neither the lexicon nor the language's list has; null where too few can be looked up. */
function unreadIn(words: readonly string[], language: number, scripts: Set<number>): number | null {
	let [looked, known] = [0, 0]
	for (const word of words) {
		const script = scriptOf(word)
		if (script >= NOT_LISTED) scripts.add(script)
		else if (classOf(word.charCodeAt(0)) === LETTER) {
			looked++
			if (isKnown(word, language)) known++
		}
	}
	return looked < FEWEST_WORDS ? null : 1 - known / looked
}

function isKnown(word: string, language: number): boolean {
	if (STOP_WORDS.has(word)) return true
	if (language) return meaningId(word, language) >= 0
	const id = wordId(word)
	return id >= 0 && id < COMMON_ENGLISH
}
