/**
 * Cuts a text into sentences by one pass over its units (no regular expression: the text is hostile). Lines end
 * sentences; what has no punctuation is cut at a space after a bound, so that one window never holds a whole page.
 */
import { classOf, DIGIT, LETTER, SPACE } from './chars.ts'

export interface Span {
	start: number
	end: number
}

const LONGEST_SENTENCE_UNITS = 420
const SHORTEST_SENTENCE_UNITS = 3
const ABBREVIATIONS = new Set(
	'mr mrs ms dr st no vs prof sr jr inc ltd co u.s e.g i.e etc fig gen col lt sen rep gov'.split(' '),
)

export function sentences(text: string): Span[] {
	const spans: Span[] = []
	let start = 0
	let space = -1
	const cut = (end: number) => {
		const span = trimmed(text, start, end)
		if (span.end - span.start >= SHORTEST_SENTENCE_UNITS) spans.push(span)
		start = end
		space = -1
	}
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i)
		if (unit === 10) cut(i + 1)
		else if (stops(unit) && ends(text, start, i)) {
			while (i + 1 < text.length && closes(text.charCodeAt(i + 1))) i++
			cut(i + 1)
		} else if (unit === 32) space = i
		if (i - start >= LONGEST_SENTENCE_UNITS) cut(space > start ? space + 1 : i + 1)
	}
	cut(text.length)
	return spans
}

const stops = (unit: number): boolean =>
	unit === 46 ||
	unit === 33 ||
	unit === 63 ||
	unit === 0x3002 ||
	unit === 0xff01 ||
	unit === 0xff1f ||
	unit === 0x061f ||
	unit === 0x0964

/** Closing quotes and brackets, and repeated stops, stay with the sentence. */
const closes = (unit: number): boolean =>
	unit === 34 ||
	unit === 39 ||
	unit === 41 ||
	unit === 93 ||
	unit === 0x201d ||
	unit === 0x2019 ||
	stops(unit)

/** Whether the stop at `i` ends a sentence: not in 3.5, nor after an initial or an abbreviation. */
function ends(text: string, start: number, i: number): boolean {
	if (text.charCodeAt(i) !== 46) return true
	const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 32
	if (classOf(next) === DIGIT || classOf(next) === LETTER) return false
	if (classOf(next) !== SPACE && !closes(next)) return false
	let word = i
	while (word > start && i - word < 8 && classOf(text.charCodeAt(word - 1)) !== SPACE) word--
	const before = text.slice(word, i).toLowerCase()
	return before.length > 1 ? !ABBREVIATIONS.has(before) : classOf(before.charCodeAt(0)) !== LETTER
}

function trimmed(text: string, start: number, end: number): Span {
	let from = start
	let to = end
	while (from < to && classOf(text.charCodeAt(from)) === SPACE) from++
	while (to > from && classOf(text.charCodeAt(to - 1)) === SPACE) to--
	return { start: from, end: to }
}
