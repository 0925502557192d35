/**
 * How near an option stands to the words of a question in a short text: in the same clause, a few words off. Words of a
 * question that most clauses have tell little. The nearest place of an option counts.
 */
import { deniedOf } from '../rules/picks.ts'
import { areSynonyms } from '../text/lexicon.ts'
import { notionsIn } from '../text/notions.ts'
import { FUNCTION, type Phrase, phraseOf } from '../text/phrase.ts'

const LONGEST_CONTEXT_UNITS = 600
/** Chosen on short passages of rows of reading in three languages: a word so many words off counts a third. */
const WORTH = 10
const REACH_WORDS = 8
const OTHER_CLAUSE = 0.7
const OTHER_SENTENCE = 0.25
const SYNONYM = 0.9
const NOTION = 0.8
/** What the question names itself is seldom its answer. */
const ASKED_ITSELF = 0.5
/** Share of an option's words that the text must have to name it. */
const WHOLE = 0.7
/** Of fewer no sentence is made, see sentences.ts: "6", "L". */
const SHORTEST_UNITS = 3
/** Where somebody is goes by the order of the text, see latest.ts. */
const MOVES = /^where\b/i

const SENTENCES = /(?<=[.!?;\n])\s+|\n+/u
const CLAUSES =
	/[,:–]\s|\s(?:but|while|whereas|and|aber|und|sondern|pero|y|mais|et|ma|e|maar|en|но|и|а|ama|ve|ale|i)\s/iu

/** To be added to the margins of the options; sums to 0. Options that the text does not name gain and lose nothing. */
export function closestOn(question: string, options: readonly string[], context: string): number[] {
	const denied = deniedOf(question, options, context)
	const near =
		context.length > LONGEST_CONTEXT_UNITS || MOVES.test(question)
			? []
			: nearIn(question, options, clausesOf(context)).map((one, i) => (denied[i] ? null : one))
	const named = near.filter((one) => one !== null)
	const total = named.reduce((sum, one) => sum + one, 0)
	if (named.length < 2 || !total) return options.map(() => 0)
	return near.map((one) => (one === null ? 0 : WORTH * (one / total - 1 / named.length)))
}

interface Word {
	word: string
	stem: string
	id: number
	clause: number
	sentence: number
}

function clausesOf(context: string): Word[] {
	let clause = 0
	return context.split(SENTENCES).flatMap((text, sentence) =>
		text.split(CLAUSES).flatMap((part) => {
			const { words, stems, ids } = phraseOf(part)
			clause++
			return words.map((word, i) => ({ word, stem: stems[i]!, id: ids[i]!, clause, sentence }))
		}),
	)
}

/** Of a word of the question: where the text has it, how surely, and how much it tells. */
interface Sought {
	at: Map<number, number>
	weight: number
}

function nearIn(question: string, options: readonly string[], text: readonly Word[]): (number | null)[] {
	const asked = phraseOf(question)
	const sought = soughtIn(asked, text)
	return options.map((option) => {
		const own = phraseOf(option.length < SHORTEST_UNITS ? `${option} .` : option)
		const places = placesOf(own, text)
		if (!places.length) return null
		const best = Math.max(...places.map((place) => nearAt(place, sought, text)))
		return contentOf(own).some((stem) => asked.places.has(stem)) ? ASKED_ITSELF * best : best
	})
}

function soughtIn(asked: Phrase, text: readonly Word[]): Sought[] {
	const clauses = new Set(text.map(({ clause }) => clause)).size
	const [mine, theirs] = [notionsIn(asked.words), notionsIn(text.map(({ word }) => word))]
	return asked.stems.flatMap((stem, i) => {
		if (asked.marks[i]! & FUNCTION) return []
		const at = new Map<number, number>()
		const ids = new Set(mine.flatMap(({ id, from, to }) => (from <= i && i < to ? [id] : [])))
		for (const { id, from, to } of theirs) if (ids.has(id)) for (let j = from; j < to; j++) at.set(j, NOTION)
		text.forEach((word, j) => {
			if (word.stem === stem) at.set(j, 1)
			else if (areSynonyms(word.id, asked.ids[i]!)) at.set(j, SYNONYM)
		})
		const having = new Set([...at.keys()].map((j) => text[j]!.clause)).size
		return having ? [{ at, weight: asked.weights[i]! * Math.log(1 + clauses / having) }] : []
	})
}

type Place = readonly [from: number, to: number]

function nearAt([from, to]: Place, sought: readonly Sought[], text: readonly Word[]): number {
	const here = text[from]!
	return sought.reduce((sum, { at, weight }) => {
		let most = 0
		for (const [j, worth] of at) {
			if (j >= from && j < to) continue
			const { clause, sentence } = text[j]!
			const same = sentence !== here.sentence ? OTHER_SENTENCE : clause === here.clause ? 1 : OTHER_CLAUSE
			const off = j < from ? from - j : j - to + 1
			most = Math.max(most, worth * same * Math.exp(-off / REACH_WORDS))
		}
		return sum + weight * most
	}, 0)
}

const contentOf = ({ stems, marks }: Phrase): string[] => stems.filter((_, i) => !(marks[i]! & FUNCTION))

/** Where the text has the option word for word, or else most of its words. */
function placesOf(option: Phrase, text: readonly Word[]): Place[] {
	const { stems } = option
	const whole = text.flatMap((_, i): Place[] =>
		stems.length && stems.every((stem, k) => text[i + k]?.stem === stem) ? [[i, i + stems.length]] : [],
	)
	if (whole.length) return whole
	const content = new Set(contentOf(option))
	const parts = text.flatMap(({ stem }, i): Place[] => (content.has(stem) ? [[i, i + 1]] : []))
	const found = new Set(parts.map(([i]) => text[i]!.stem)).size
	return found >= WHOLE * content.size ? parts : []
}
