/**
 * Levels that are ranges of one quantity ("0-20 %", "1 to 3 days late", "once"), and the value that a text gives beside
 * the question's words. Ratings are none: "2 stars" is how good something is, and the text need not count stars.
 */
import { fold } from '../text/fold.ts'
import { FUNCTION, phraseOf } from '../text/phrase.ts'
import { stem } from '../text/stem.ts'
import { type Quantity, quantities } from './quantities.ts'

interface Range {
	kind: string
	from: number
	to: number
	/** Whether the ends belong to it. */
	open: [boolean, boolean]
	of: string
}

const RATING = /\bstars?\b|[★*]|\bpoints?\b|out of|\/ ?\d/u
const TO = /^\s*(?:-|–|—|to|bis|a|à|al|au|tot|до|and)\s*$/u
const OVER =
	/\b(?:over|above|more than|longer than|at least|from|beyond|exceeds|uber|mehr als|plus de|mas de|piu di|meer dan|mais de|более|больше)\b|[>≥]/u
const UNDER =
	/\b(?:under|below|less than|fewer than|up to|at most|within|shorter than|unter|weniger als|bis zu|moins de|menos de|meno di|minder dan|менее|меньше)\b|[<≤]/u
const AND_MORE =
	/\d\s*\+|\b(?:or|and) (?:more|over|above|longer|older|later)\b|\boder mehr\b|\bet plus\b|\bo mas\b/u
const AND_LESS =
	/\b(?:or|and) (?:less|fewer|under|below|shorter|younger)\b|\boder weniger\b|\bou moins\b|\bo menos\b/u
const NONE =
	/^(?:no|not any|none|zero|never|nobody|nothing|keine?|nie|aucun|jamais|ningun[oa]?|nunca|nessun[oa]?|mai|geen|nooit|нет|никогда|hic|brak)\b/u
/** Numbers that are no numerals: "once", "a single time", "a couple". */
const SPELLED: [RegExp, string][] = [
	[
		/\b(?:once|(?:a|one) single time|just one time|einmal|une fois|una vez|una volta|eenmaal|один раз)\b/gu,
		'1 times',
	],
	[/\b(?:twice|zweimal|deux fois|dos veces|due volte|tweemaal|дважды)\b/gu, '2 times'],
	[/\b(?:thrice|dreimal)\b/gu, '3 times'],
	[/\b(?:a|one) single (?=\p{L})/gu, '1 '],
]
const VAGUE: [RegExp, number, number][] = [
	[/\b(?:a few|a couple|couple of)\b/u, 2, 5],
	[/\b(?:several|some|multiple|mehrere|mehrmals|plusieurs|vari[aeo]s|diversi)\b/u, 2, 20],
]
const NUMBERED = (text: string): string =>
	SPELLED.reduce((out, [pattern, number]) => out.replace(pattern, number), text)

const RATES = /\b(?:every|each|per|daily|weekly|monthly|hourly|yearly|jede\p{L}*|chaque|cada|ogni)\b/u

function rangeOf(level: string): Range | null {
	const text = NUMBERED(fold(level).text)
	if (RATES.test(text)) return null
	const [one, two, ...more] = measured(text)
	if (more.length) return null
	if (!one) {
		const vague = VAGUE.find(([pattern]) => pattern.test(text))
		if (vague) return { kind: '', from: vague[1], to: vague[2], open: [false, false], of: '' }
		return NONE.test(text) ? { kind: '', from: 0, to: 0, open: [false, false], of: '' } : null
	}
	const of = one.of || two?.of || ''
	if (two) {
		const joined = TO.test(text.slice(one.end, two.start))
		const kind = one.kind === two.kind || one.kind === 'count' ? two.kind : ''
		if (!joined || !kind) return null
		// "1 to 3 days": the unit stands behind the second.
		const factor = one.kind === two.kind ? 1 : unitOf(text, two)
		return { kind, from: one.value * factor, to: two.value, open: [false, false], of }
	}
	const [kind, value] = [one.kind, one.value]
	if (OVER.test(text) || AND_MORE.test(text))
		return {
			kind,
			from: value,
			to: Number.POSITIVE_INFINITY,
			open: [!/at least|from|≥|\+|or more/.test(text), true],
			of,
		}
	if (UNDER.test(text) || AND_LESS.test(text))
		return {
			kind,
			from: Number.NEGATIVE_INFINITY,
			to: value,
			open: [true, /under|below|less than|fewer|</.test(text)],
			of,
		}
	return { kind, from: value, to: value, open: [false, false], of }
}

const MONTH_SECONDS = 30.4 * 86_400

/** Months are a time like any other here. */
const measured = (text: string): Quantity[] =>
	quantities(text).map((one) =>
		one.kind === 'months' ? { ...one, kind: 'time', value: one.value * MONTH_SECONDS } : one,
	)

function unitOf(text: string, { value, start, end }: Quantity): number {
	const [number] = quantities(text.slice(start, end).replace(/[^\d.,]/g, ''))
	return number?.value ? value / number.value : 1
}

/** The ranges of all levels; null where they are not of one kind. One that has no number may stand at an end. */
function rangesOf(levels: readonly string[]): Range[] | null {
	if (levels.some((level) => RATING.test(fold(level).text))) return null
	const ranges = levels.map(rangeOf)
	const known = ranges.filter((one): one is Range => one !== null)
	const kinds = new Set(known.map(({ kind }) => kind).filter(Boolean))
	const missing = ranges.flatMap((one, i) => (one ? [] : [i]))
	if (kinds.size !== 1 || known.length < 2 || missing.length > 1) return null
	// Bare numbers are marks on a scale.
	const [kind] = [...kinds] as [string]
	const bare = kind === 'count' && known.every(({ of, from, to }) => !of && from === to)
	if (bare) return null
	const middle = (one: Range) => (Number.isFinite(one.from) ? one.from : one.to)
	const [place] = missing
	if (place === undefined) return known.map((one) => ({ ...one, kind }))
	if (place !== 0 && place !== levels.length - 1) return null
	const rises = middle(known.at(-1)!) > middle(known[0]!)
	const low = (place === 0) === rises
	const ends = known.flatMap(({ from, to }) => [from, to])
	const outer: Range = low
		? { kind, from: Number.NEGATIVE_INFINITY, to: Math.min(...ends), open: [true, true], of: '' }
		: { kind, from: Math.max(...ends), to: Number.POSITIVE_INFINITY, open: [true, true], of: '' }
	return ranges.map((one) => ({ ...(one ?? outer), kind }))
}

const within = ({ from, to, open }: Range, value: number): boolean =>
	(open[0] ? value > from : value >= from) && (open[1] ? value < to : value <= to)

/** "Two of them": how many of a question's list a text has is no value that it gives. */
const OF_A_LIST = /\bof (?:them|these|those)\b/i

/** Place of the level that holds the value that the text gives, or −1. */
export function rangedLevel(question: string, levels: readonly string[], text: string): number {
	if (text.length > LONGEST_UNITS || levels.some((level) => OF_A_LIST.test(level))) return -1
	const ranges = rangesOf(levels)
	if (!ranges) return -1
	const folded = NUMBERED(fold(text).text)
	const value = valueFor(question, ranges, levels, folded)
	if (value === null) return -1
	const fitting = ranges.flatMap((range, i) => (within(range, value) ? [i] : []))
	if (fitting.length === 1) return fitting[0]!
	// "21-40", "41-60" and 40.5: the nearest; "1", "1 to 3" and 1: the one that says it alone.
	const gaps = ranges.map((range) => gapOf(range, value))
	const least = Math.min(...gaps)
	const nearest = gaps.flatMap((gap, i) => (gap === least ? [i] : []))
	if (fitting.length) return fitting.find((i) => ranges[i]!.from === ranges[i]!.to) ?? fitting[0]!
	return nearest.length === 1 ? nearest[0]! : -1
}

const gapOf = ({ from, to }: Range, value: number): number =>
	value < from ? from - value : value > to ? value - to : 0

/** Of the values of this kind the one that stands nearest to the question's words; null where none or several do. */
function valueFor(
	question: string,
	ranges: readonly Range[],
	levels: readonly string[],
	text: string,
): number | null {
	const { kind } = ranges[0]!
	const of = new Set(ranges.map((range) => range.of).filter(Boolean))
	const asked = phraseOf(question)
	const wanted = new Set(asked.stems.filter((_, i) => !(asked.marks[i]! & FUNCTION)))
	const own = new Set(levels.flatMap((level) => phraseOf(level).stems))
	const given = measured(text).filter((one) => one.kind === kind && (!one.bound || kind !== 'count'))
	const fitting = given.filter((one) => kind !== 'count' || !of.size || of.has(one.of) || wanted.has(one.of))
	const among = fitting.length ? fitting : kind === 'count' ? given.filter(({ of: thing }) => !thing) : []
	const scored = among.map((one) => ({ one, near: nearness(text, one, wanted, own) }))
	const best = Math.max(...scored.map(({ near }) => near))
	const first = scored.filter(({ near }) => near === best)
	return new Set(first.map(({ one }) => one.value)).size === 1 ? first[0]!.one.value : null
}

/** How many of the question's words stand around it, those in its clause first. */
function nearness(
	text: string,
	{ start, end }: Quantity,
	wanted: ReadonlySet<string>,
	own: ReadonlySet<string>,
): number {
	let sum = 0
	for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\d]+/gu)) {
		const root = stem(word)
		if (!wanted.has(root) || own.has(root)) continue
		const [from, to] = index < start ? [index, start] : [end, index]
		const between = text.slice(from, Math.max(from, to))
		const apart = /[.!?;\n]\s/.test(between) ? OTHER_SENTENCE : between.includes(',') ? OTHER_CLAUSE : 1
		const before = index < start ? 1 : BEHIND
		sum += apart * before * Math.exp(-between.length / REACH_UNITS)
	}
	return sum
}

const LONGEST_UNITS = 1_200
const REACH_UNITS = 40
const OTHER_CLAUSE = 0.7
const OTHER_SENTENCE = 0.25
/** What a number is of stands before it in lists. */
const BEHIND = 0.9
