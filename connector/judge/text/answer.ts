/** An answer beside its reference. It earns nothing by repeating the question, so the question's words count less. */
import { align } from './align.ts'
import { areAntonyms } from './lexicon.ts'
import { agreement } from './likeness.ts'
import { FUNCTION, NEGATION, type Phrase } from './phrase.ts'

export const ANSWERED = [
	'gained',
	'own',
	'echo',
	'asked',
	'wanted',
	'found',
	'foundHalf',
	'foundBoth',
	'foundBothHalf',
	'opposed',
	'turned',
] as const

const WORDS_READ = 200
const LEAST_WEIGHT = 2.2
/** What a word of the question is worth where it counts at all. */
const ASKED_SHARE = 0.3

export function answered(question: Phrase, reference: Phrase, answer: Phrase): number[] {
	const [wanted, given] = [contentOf(reference), contentOf(answer)]
	const cover = (a: Phrase, own: readonly number[], b: Phrase, other: readonly number[], share: number) => {
		let total = 0
		let found = 0
		for (const i of own) {
			const weight = a.weights[i]! * (question.places.has(a.stems[i]!) ? share : 1)
			total += weight
			found += weight * (b.places.has(a.stems[i]!) ? 1 : best(a, i, b, other))
		}
		return total ? found / total : 0.5
	}
	const there = cover(reference, wanted, answer, given, 0)
	const half = cover(reference, wanted, answer, given, ASKED_SHARE)
	let opposed = 0
	for (const i of wanted) {
		if (answer.places.has(reference.stems[i]!)) continue
		for (const j of given) if (areAntonyms(reference.ids[i]!, answer.ids[j]!)) opposed++
	}
	return [
		gained(question, reference, answer),
		...added(question, reference, answer),
		question.words.length ? 1 : 0,
		Math.log1p(wanted.filter((i) => !question.places.has(reference.stems[i]!)).length),
		there,
		half,
		both(there, cover(answer, given, reference, wanted, 0)),
		both(half, cover(answer, given, reference, wanted, ASKED_SHARE)),
		opposed,
		negated(reference) === negated(answer) ? 0 : 1,
	]
}

const both = (a: number, b: number): number => (a + b ? (2 * a * b) / (a + b) : 0)
const negated = ({ marks }: Phrase): boolean => marks.some((mark) => mark & NEGATION)

/** Places of the content words, each word once. */
function contentOf({ stems, marks, weights }: Phrase): number[] {
	const list: number[] = []
	const seen = new Set<string>()
	for (let i = 0; i < stems.length && i < WORDS_READ; i++) {
		if (marks[i]! & (FUNCTION | NEGATION) || weights[i]! < LEAST_WEIGHT || seen.has(stems[i]!)) continue
		seen.add(stems[i]!)
		list.push(i)
	}
	return list
}

function best(a: Phrase, i: number, b: Phrase, other: readonly number[]): number {
	let top = 0
	for (const j of other) top = Math.max(top, agreement(a, i, b, j))
	return top
}

/** Share of what the reference says beyond the question that the answer says too, in these words or near ones. */
function gained(question: Phrase, reference: Phrase, answer: Phrase): number {
	const { strength } = align(reference, answer)
	let wanted = 0
	let sum = 0
	for (let i = 0; i < reference.words.length; i++) {
		if (reference.marks[i]! & FUNCTION || question.places.has(reference.stems[i]!)) continue
		wanted += reference.weights[i]!
		sum += reference.weights[i]! * strength[i]!
	}
	return wanted ? sum / wanted : 0.5
}

/** Words of the answer that only it has, and those that it took from the question. */
function added(question: Phrase, reference: Phrase, answer: Phrase): [number, number] {
	let own = 0
	let echo = 0
	for (let j = 0; j < answer.words.length; j++) {
		if (answer.marks[j]! & FUNCTION) continue
		if (question.places.has(answer.stems[j]!)) echo++
		else if (!reference.places.has(answer.stems[j]!)) own++
	}
	return [Math.log1p(own), Math.log1p(echo)]
}
