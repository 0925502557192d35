/** The options of a question, with or without a context to choose by, as the numbers the model reads. */
import { type Document, read, type Sentence } from '../text/document.ts'
import { NAME, NUMBER, type Phrase, phraseOf, whole } from '../text/phrase.ts'
import { AMONG_ONLY, RANKED, rankedFeatures, readName } from './ranked.ts'

const PLACED = ['found', 'beside', 'near', 'kind', 'asked'] as const
export const ANSWERED = [
	...RANKED.map((name) => `text.${name}`),
	...AMONG_ONLY.map((name) => `question.${name}`),
	...PLACED,
	...PLACED.map((name) => `${name}.lead`),
	'context',
	'generic',
	'options',
]

const SPACE_FOR_QUESTION = RANKED.length
const SPACE_FOR_PLACED = SPACE_FOR_QUESTION + AMONG_ONLY.length

export function answerFeatures(
	question: string,
	options: readonly string[],
	context?: string,
): Float32Array[] {
	const asked = phraseOf(question)
	const documents = options.map(readName)
	const given = context ? read(context) : undefined
	const text = given ? whole(given) : asked
	const byText = rankedFeatures(text, documents)
	const byQuestion = given ? rankedFeatures(asked, documents) : byText
	const places = documents.map((option) =>
		given ? placed(asked, whole(option), given) : PLACED.map(() => 0),
	)
	const generic = given ? 1 - shared(asked, text) : 0
	return documents.map((_, i) => {
		const row = new Float32Array(ANSWERED.length)
		row.set(byText[i]!)
		row.set(byQuestion[i]!.subarray(RANKED.length - AMONG_ONLY.length), SPACE_FOR_QUESTION)
		row.set(places[i]!, SPACE_FOR_PLACED)
		for (let k = 0; k < PLACED.length; k++) {
			const others = Math.max(...places.filter((_, j) => j !== i).map((place) => place[k]!))
			row[SPACE_FOR_PLACED + PLACED.length + k] = places[i]![k]! - others
		}
		row.set([given ? 1 : 0, generic, Math.log(options.length)], SPACE_FOR_PLACED + 2 * PLACED.length)
		return row
	})
}

function shared(a: Phrase, b: Phrase): number {
	let sum = 0
	for (let i = 0; i < a.stems.length; i++) if (b.places.has(a.stems[i]!)) sum += a.weights[i]!
	return a.total ? sum / a.total : 0
}

/** Whether and where the context names the option, and how much of the question stands around it. */
function placed(question: Phrase, option: Phrase, context: Document): number[] {
	const stems = new Set(option.stems)
	let found = 0
	let beside = 0
	let near = 0
	for (const sentence of context.sentences) {
		const there = new Set(sentence.stems)
		let covered = 0
		for (const stem of stems) if (there.has(stem)) covered++
		const share = stems.size ? covered / stems.size : 0
		if (share < Math.max(0.5, found)) continue
		found = Math.max(found, share)
		const around = overlap(question, sentence, stems)
		if (around.whole * share > beside) beside = around.whole * share
		if (around.near * share > near) near = around.near * share
	}
	return [found, beside, near, kindFits(question, option), shared(option, question)]
}

const REACH_WORDS = 6

/** How much of the question a sentence has, in all and within a few words of the option. */
function overlap(
	question: Phrase,
	sentence: Sentence,
	option: ReadonlySet<string>,
): { whole: number; near: number } {
	const at: number[] = []
	for (let i = 0; i < sentence.stems.length; i++) if (option.has(sentence.stems[i]!)) at.push(i)
	let whole = 0
	let near = 0
	const seen = new Set<string>()
	for (let i = 0; i < sentence.stems.length; i++) {
		const stem = sentence.stems[i]!
		const place = question.places.get(stem)
		if (place === undefined || option.has(stem) || seen.has(stem)) continue
		seen.add(stem)
		whole += question.weights[place]!
		let distance = Number.POSITIVE_INFINITY
		for (const j of at) distance = Math.min(distance, Math.abs(i - j))
		near += question.weights[place]! * Math.exp(-distance / REACH_WORDS)
	}
	return question.total
		? { whole: whole / question.total, near: near / question.total }
		: { whole: 0, near: 0 }
}

const FOR_NUMBER = new Set(
	'when year many much long old far often percent percentage wann wie viele viel lange jahr cuando cuanto cuantos cuantas cuanta ano combien quand quanti quando'.split(
		' ',
	),
)
const FOR_NAME = new Set('who whom whose where wer wen wem wo quien quienes donde qui ou chi dove'.split(' '))

/** "When" and "how many" want a number, "who" and "where" a name. */
function kindFits(question: Phrase, option: Phrase): number {
	const number = option.marks.some((mark) => mark & NUMBER)
	const name = option.marks.some((mark) => mark & NAME)
	if (question.words.some((word) => FOR_NUMBER.has(word))) return number ? 1 : -1
	if (question.words.some((word) => FOR_NAME.has(word))) return name ? 1 : number ? -1 : -0.5
	return number ? -0.3 : 0
}
