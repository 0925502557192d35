/**
 * A rubric's question and what it is asked of, as numbers. Five kinds are told apart: two texts to be compared, an
 * answer to be graded by its reference, a statement to be found in a text, how hard a text is to read, and how good it
 * is, of which the judge knows next to nothing.
 */

import { restated } from '../rules/restated.ts'
import { ANSWERED, answered } from '../text/answer.ts'
import { COMPARED, compare } from '../text/compare.ts'
import { read } from '../text/document.ts'
import { rarity } from '../text/lexicon.ts'
import { LIKENESS, likeness } from '../text/likeness.ts'
import { phraseOf } from '../text/phrase.ts'
import { CLAIM_FEATURES, viewClaim } from './claim.ts'
import { passages } from './passages.ts'

export type RubricKind = 'pair' | 'grade' | 'support' | 'difficulty' | 'quality'

const STYLE = [
	'sentenceWords',
	'wordLetters',
	'rarity',
	'variety',
	'words',
	'commas',
	'longWords',
	'longestSentence',
] as const
export const PAIR = [
	...COMPARED,
	...COMPARED.map((name) => `back.${name}`),
	...LIKENESS,
	...ANSWERED,
	'levels',
] as const
export const SUPPORT = CLAIM_FEATURES
export const ALONE = [...STYLE, 'onQuestion', 'levels'] as const

export interface Rubric {
	kind: RubricKind
	features: Float32Array
}

const SUPPORTS = /support|statement|claim|entail|ground|faithful|consistent/i
const MIN_STATEMENT_UNITS = 12

export function rubricOf(question: string, context: string, levels: number): Rubric {
	const parts = labelledParts(context) ?? referenced(question, context)
	if (parts?.length === 2 && COMPARES.test(`${question.slice(0, 400)} ${context.slice(0, 40)}`)) {
		const kind = GRADES.test(`${question.slice(0, 200)} ${context.slice(0, 40)}`) ? 'grade' : 'pair'
		return { kind, features: pairFeatures(question, parts[0]!, restated(parts[1]!, parts[0]!).claim, levels) }
	}
	const statement = tail(question)
	if (statement.length >= MIN_STATEMENT_UNITS && SUPPORTS.test(question.slice(0, 200))) {
		return { kind: 'support', features: viewClaim(read(statement), passages([context])).features }
	}
	const kind = DIFFICULTY.test(question.slice(0, 400)) ? 'difficulty' : 'quality'
	return { kind, features: aloneFeatures(question, parts?.at(-1) ?? context, levels) }
}

const COMPARES = /similar|same|equivalen|paraphras|reference|meaning|match|related|student/i
const GRADES = /\b(grade|student|learner|pupil|reference|model answer|correct)/i
/** How hard a text is to read; how hard a thing is to do is told by what the text says. */
const DIFFICULTY =
	/readab|reading level|grade level|(?=.*(?:difficult|complex|simpl|learner|hard to)).*\b(?:text|sentence|passage|paragraph|article|words?|wording|language|vocabulary|read|learner)\b/is

function pairFeatures(question: string, first: string, second: string, levels: number): Float32Array {
	const [asked, a, b] = [phraseOf(tail(question)), phraseOf(first), phraseOf(second)]
	const out = new Float32Array(PAIR.length)
	out.set(compare(a, b))
	out.set(compare(b, a), COMPARED.length)
	out.set([...likeness(a, b), ...answered(asked, a, b), levels], 2 * COMPARED.length)
	return out
}

/** "Is the answer correct? Reference: …": the question gives the first of the two. */
function referenced(question: string, context: string): string[] | null {
	const found = REFERENCE.exec(question)
	const first = found?.[1]?.replace(/^["“«]|["”»]$/gu, '').trim()
	return first && first.split(' ').length > 2 ? [first, context] : null
}

const REFERENCE =
	/(?:reference|model answer|expected|solution|correct answer|sample answer|compared? (?:with|to)|same as|similar to)[^:"“«]{0,20}[:"“«]\s*(.{8,})$/isu

const LONGEST_LABEL_UNITS = 40

/** "1) … 2) …" or "Reference answer: … Student answer: …": what follows labels at the beginning of lines. */
export function labelledParts(text: string): string[] | null {
	if (!text.includes('\n')) return inLine(text)
	const parts: string[] = []
	for (const line of text.split('\n')) {
		const label = labelEnd(line)
		if (label > 0) parts.push(line.slice(label).trim())
		else if (parts.length) parts[parts.length - 1] += `\n${line}`
		else if (line.trim()) return null
	}
	return parts.length > 1 && parts.length <= 4 ? parts : null
}

/** "1) … 2) …", "A: … B: …", "Sentence 1: … Sentence 2: …", or two quotations and nothing more than a word between. */
function inLine(text: string): string[] | null {
	for (const form of PAIRS) {
		const found = form.exec(text)
		if (found) return [found[1]!.trim(), found[2]!.trim()]
	}
	return null
}

const PAIRS = [
	/^\s*\(?1[).:]\s+(.+?)\s*[;|/]?\s+\(?2[).:]\s+(.+)$/su,
	/^\s*\(?A[).:]\s+(.+?)\s*[;|/]?\s+\(?B[).:]\s+(.+)$/su,
	/^\s*(?:[A-Za-z]+ )?(?:1|one|first|A)[^:"“«]{0,20}:\s*(.+?)\s*[;|/]?\s+(?:[A-Za-z]+ )?(?:2|two|second|B)[^:"“«]{0,20}:\s*(.+)$/su,
	/^\s*["“«](.+?)["”»]\s*(?:\p{L}+|[,;/|–—-])?\s*["“«](.+?)["”»]\.?\s*$/su,
	/^(.+?)\s+(?:\|\|?|\/\/|<->|vs\.?|---?)\s+(.+)$/su,
]

function labelEnd(line: string): number {
	const number = line.slice(0, 4).indexOf(')')
	if (number > 0 && /^\d+$/.test(line.slice(0, number))) return number + 1
	const colon = line.slice(0, LONGEST_LABEL_UNITS).indexOf(':')
	return colon > 0 && /^[A-Z][A-Za-z0-9 ]*$/.test(line.slice(0, colon)) ? colon + 1 : 0
}

/** What follows the first question mark or colon of the question: the statement it is about. */
export function tail(question: string): string {
	const at = question.search(/[?:]\s/)
	return at < 0 ? '' : question.slice(at + 1).trim()
}

function aloneFeatures(question: string, text: string, levels: number): Float32Array {
	const document = read(text)
	const words = document.sentences.flatMap((sentence) => sentence.words)
	const n = Math.max(1, words.length)
	const lengths = document.sentences.map((sentence) => sentence.words.length)
	const asked = compare(phraseOf(question), phraseOf(text))
	return Float32Array.of(
		n / Math.max(1, document.sentences.length),
		words.reduce((sum, word) => sum + word.length, 0) / n,
		words.reduce((sum, word) => sum + rarity(word), 0) / n,
		new Set(words.slice(0, 200)).size / Math.min(200, n),
		Math.log1p(words.length),
		text.split(',').length / n,
		words.filter((word) => word.length > 7).length / n,
		Math.log1p(lengths.reduce((a, b) => Math.max(a, b), 0)),
		asked[COMPARED.indexOf('soft')]!,
		levels,
	)
}
