/** "Everyone except Tom came", "all items excluding shoes": what is excepted, with any verb. 1 holds, −1 does not, 0 unknown. */
import { FUNCTION, NEGATION, type Phrase, phraseOf } from '../text/phrase.ts'

const EXCEPT =
	/\b(?:except(?:ing)?(?: for)?|excluding|apart from|aside from|with the exception of|save for|other than|but)\s+(?:on |in |at |for |the |a |an |our |my |your |his |her |their )*([^,.;:!?()]{2,60})/giu
const ALL =
	/\b(?:all|every|each|any|everyone|everybody|everything|everywhere|anywhere|anyone|anybody|anything|daily)\b/iu
const NONE = /\b(?:no|none|nobody|nothing|nowhere|no-one|never)\b/iu
const ALL_BEFORE = /\b(?:all|any\p{L}*|every\p{L}*|no|none|nobody|nothing)(?: \p{L}+){0,2} $/iu
const EXCEPTS =
	/\b(?:except\p{L}*|excluding|apart|aside|exception|other than|but|only|most|some|many|few|all|every|each|any|no|none|nobody)\b/iu
const LONGEST_UNITS = 200
const MOST_WORDS = 12
/** Share of the claim's other words that the sentence must have. */
const ABOUT = 0.6

export function exceptedSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (EXCEPTS.test(claim)) return 0
	const said = phraseOf(claim)
	if (said.words.length > MOST_WORDS) return 0
	for (const sentence of evidence.split(/(?<=[.!?])\s+/u)) {
		if (sentence.length > LONGEST_UNITS) continue
		const found = [...sentence.matchAll(EXCEPT)].find((one) => isOfAll(one, sentence))
		const told = found && about(said, sentence, found[1]!)
		if (!told) continue
		const others = rest(sentence, found)
		const holds = NONE.test(others) && !ALL.test(others)
		if (holds === said.marks.some((mark) => mark & NEGATION)) return -1
		// Who may is not said to do.
		return /\b(?:can|may|could)\b/i.test(sentence) ? 0 : 1
	}
	return 0
}

const rest = (sentence: string, found: RegExpExecArray): string =>
	`${sentence.slice(0, found.index)} | ${sentence.slice(found.index + found[0].length)}`

/** "But" joins sentences as well. */
function isOfAll(found: RegExpExecArray, sentence: string): boolean {
	if (/^but\b/i.test(found[0])) return ALL_BEFORE.test(sentence.slice(0, found.index))
	const others = rest(sentence, found)
	return ALL.test(others) || NONE.test(others)
}

function about({ stems, marks }: Phrase, sentence: string, excepted: string): boolean {
	const given = phraseOf(excepted)
	const named = given.stems.find((_, i) => !(given.marks[i]! & FUNCTION))
	const own = stems.filter((_, i) => !(marks[i]! & (FUNCTION | NEGATION)))
	const there = phraseOf(sentence).places
	if (!named || !own.includes(named)) return false
	const more = own.filter((stem) => stem !== named)
	return more.length > 0 && more.filter((stem) => there.has(stem)).length >= ABOUT * more.length
}
