/** How a sentence puts what it says: as a fact, a question, a denial, a supposition, hearsay, or a mere list of words. */
import { fold } from '../text/fold.ts'
import { STOP_WORDS } from '../text/stopwords.ts'

export type Frame = 'said' | 'asked' | 'denied' | 'supposed' | 'reported' | 'listed'

const LONGEST_UNITS = 1_000
const ASKED =
	/\?["'”)\]]*$|？$|^(is it true|nobody knows|no one knows|it is (not known|unknown|unclear))|\b(whether|wonder(s|ing|ed)? if|ask(s|ed)? if|do(es)? not know if|ob das)\b/
const DENIED =
	/\b(it|this|that) (is|was|'s) (not true|untrue|false|a lie|not the case|wrong|a myth) that |\bturn(s|ed) out to be (false|untrue|wrong)\b|\bes stimmt nicht,? dass |\bil est faux que |\bno es (cierto|verdad) que |\bnon e vero che /
const SUPPOSED =
	/^(["'“(]?)(if|suppose|supposing|assume|assuming|imagine|should|were|had|in case|falls|wenn|sollte|si|supongamos|als|indien|если) |(?<!\b(?:in|of|by|since|until|from|on|early|late|mid|last|next|this|\d{1,2}|\d(?:st|nd|rd|th)) )\bmay\b(?! \d)|\b(would|might|could|hopes?|wish(es)?|unless|provided that|it is possible that|perhaps|maybe|vielleicht|peut-etre|quizas?|forse|talvez|misschien)\b/
const REPORTED =
	/\b(rumou?rs?|rumou?red|allegedly|reportedly|supposedly|purportedly|hearsay|gossip|anonymous|claim(s|ed)? (that|to)|is said to|are said to|believe[sd]? that|think[s]? that|doubt(s|ed)? that|insist(s|ed)? that|angeblich|pretendument|supuestamente|presumibilmente|alegadamente|naar verluidt)\b/

export function frameOf(sentence: string): Frame {
	const text = fold(sentence.slice(0, LONGEST_UNITS)).text.trim()
	if (ASKED.test(text)) return 'asked'
	if (DENIED.test(text)) return 'denied'
	if (SUPPOSED.test(text)) return 'supposed'
	return REPORTED.test(text) ? 'reported' : 'said'
}

/** What a denial denies; the sentence itself where it is none. */
export function denied(sentence: string): string | null {
	const head =
		/^.{0,80}?\b(?:it|this|that) (?:is|was|'s) (?:not true|untrue|false|a lie|not the case|wrong|a myth) that |^.{0,60}?(?:es stimmt nicht,? dass |il est faux que |no es (?:cierto|verdad) que |non [eè] vero che )/i.exec(
			sentence,
		)
	if (head) return sentence.slice(head[0].length)
	const turned =
		/^(?:.{0,40}?\b(?:report|claim|rumou?r|news|story) that )(.+?) turn(?:s|ed) out to be (?:false|untrue|wrong)\b/i.exec(
			sentence,
		)
	return turned ? turned[1]! : null
}

const SHORT_WORDS = 1.7
const FEWEST_PARTS = 3

/** Whether a sentence only names the words of a claim: they stand one by one between commas, and in no order of sense. */
export function isWordList(sentence: string, claim: readonly string[]): boolean {
	const parts = fold(sentence.slice(0, LONGEST_UNITS))
		.text.split(/[,;|•·/\n\t:]+/)
		.map((part) => part.match(/[\p{L}\p{M}\p{N}']+/gu) ?? [])
		.filter((words) => words.length)
	if (parts.length < FEWEST_PARTS || /["{]/.test(sentence)) return false
	// Cells of a table hold numbers; no cell is an article or a preposition.
	if (/\d/.test(sentence) && !parts.some(([word, more]) => !more && STOP_WORDS.has(word!))) return false
	const words = parts.reduce((sum, part) => sum + part.length, 0)
	if (words / parts.length > SHORT_WORDS) return false
	const wanted = new Set(claim)
	const hit = parts.filter((part) => part.some((word) => wanted.has(word))).length
	const matched = new Set(parts.flat().filter((word) => wanted.has(word))).size
	return hit >= Math.min(FEWEST_PARTS, wanted.size) && hit >= 0.7 * matched
}
