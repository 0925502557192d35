/**
 * The injection models over a text of any length. They learned from texts of a page or two; a longer one is read in
 * sections of that size and is as suspect as the worst of them, so that one line among many pages weighs what it weighs
 * on one. That also raises fewer false alarms than reading forty pages as one text of a size never learned from.
 */
import { type Ensemble, probability as probabilityOf } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { type Document, read } from '../text/document.ts'
import { type Span, sentences } from '../text/sentences.ts'
import { marksOf } from './orders.ts'
import { type Detectors, injectionFeatures, type Reading } from './reading.ts'
import { type Whose, weighedByMarks } from './weighing.ts'

export const SECTION_UNITS = 4_000
/** Of a text without a letter: numbers, signs and pictures give no orders. */
const NOTHING_SAID = 0.01
const LETTER = /\p{L}/u

export interface Screened {
	document: Document
	probability: number
	/** Sentences and pieces of them, with the mean margin of the detectors. */
	pieces: { span: Span; margin: number }[]
}

/** The probability of a section, by models that take longer. */
export type Again = (probability: number, reading: Reading, margins: Float64Array) => number

export function screenText(
	text: string,
	model: Ensemble,
	detectors: Detectors,
	reader: (text: string) => Reading,
	of: Whose = 'unsaid',
	/** Reads the worst section once more. */
	again: Again = (said) => said,
): Screened {
	const starts = startsOf(text)
	let probability = NOTHING_SAID
	let first: Document | undefined
	let worst: (() => number) | undefined
	// Of all sections but the worst.
	let second = NOTHING_SAID
	const pieces = starts.flatMap((start, i) => {
		const reading = reader(text.slice(start, starts[i + 1]))
		first ??= reading.document
		const { features, margins } = injectionFeatures(reading, detectors)
		if (LETTER.test(reading.document.folded.text)) {
			const said = probabilityOf(model, features)
			const all = weighed(said, reading, of)
			second = Math.max(second, Math.min(all, probability))
			if (all > probability) worst = () => weighed(again(said, reading, margins), reading, of)
			probability = Math.max(probability, all)
		}
		return reading.sentences.map(({ span }, k) => ({
			span: { start: span.start + start, end: span.end + start },
			margin: margins[k]!,
		}))
	})
	if (worst) probability = Math.max(second, worst())
	return {
		document: starts.length > 1 ? read(text) : first!,
		probability: worstOf(Math.max(starts.length, sectionsIn(text.length)), probability),
		pieces,
	}
}

/**
 * As how many sections a text of one counts: any of several sentences may look like an order. Chosen on 380 pages and
 * articles, from which nothing is learned.
 */
export const sectionsIn = (units: number): number =>
	1 + MORE * Math.max(0, Math.min(1, (units - FEW_UNITS) / FEW_UNITS))

/**
 * The worst of many sections is worse than one by chance alone. So doubt counts less the more there are, as is measured
 * on pages of documentation; what is sure counts as it is, and the order of two texts of one length stays.
 */
export function worstOf(sections: number, probability: number): number {
	if (sections === 1 || probability >= SURE) return probability
	const odds = logit(probability)
	const doubt = Math.min(1, (logit(SURE) - odds) / (logit(SURE) - logit(DOUBTFUL)))
	return sigmoid(odds - doubt * Math.min(MOST_WORTH, PER_LOG_SECTION * Math.log(sections)))
}

/** Characters of a few sentences. */
const FEW_UNITS = 250
const MORE = 0.6
const SURE = 0.9
const DOUBTFUL = 0.4
const PER_LOG_SECTION = 0.6
/** Less than what lies between the two, or a worse text would seem better. */
const MOST_WORTH = 2
const logit = (p: number): number => Math.log(p / (1 - p))

/** What the model says, and the rules beside it; a disguise is a mark of its own and has been read already. */
function weighed(said: number, { document, sentences }: Reading, of: Whose): number {
	return weighedByMarks(said, marksOf(sentences, document.source), document, of)
}

/** A section begins where a sentence does. */
function startsOf(text: string): number[] {
	const starts = [0]
	if (text.length <= SECTION_UNITS) return starts
	for (const { start, end } of sentences(text)) {
		const from = starts.at(-1)!
		if (end - from > SECTION_UNITS && start > from) starts.push(start)
	}
	return starts
}
