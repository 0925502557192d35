/** Numbers with what they count or measure, and dates, as values that can be compared whatever their spelling. */
import { fold } from '../text/fold.ts'
import { stem } from '../text/stem.ts'
import { FRACTIONS, MONEY, MONTHS, NUMBER_WORDS, SCALES, UNITS } from './words.ts'

export interface Quantity {
	/** `count`, a kind of unit, `date`, `year` or `clock`. */
	kind: string
	value: number
	/** What is counted, by stem; of a clock "half" where it says which half of the day. */
	of: string
	/** Places in the text as given. */
	start: number
	end: number
	/** "at least", "more than" … before it. */
	bound: '' | '>=' | '>' | '<=' | '<'
}

interface Token {
	text: string
	start: number
	end: number
}

const TOKEN = /\d+(?:[.,]\d+)*|[\p{L}\p{M}]+|[%€$£]/gu
const LONGEST_TEXT_UNITS = 2_000

export function quantities(source: string): Quantity[] {
	const { text, at } = fold(source.slice(0, LONGEST_TEXT_UNITS))
	const found: Quantity[] = []
	const taken = dates(text, found)
	const tokens: Token[] = [...text.matchAll(TOKEN)]
		.map((match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }))
		.filter(({ start }) => !taken.some(([from, to]) => start >= from && start < to))
	for (let i = 0; i < tokens.length; ) {
		const number = numberAt(tokens, i)
		if (!number) i++
		else i = add(tokens, i, number, text, found)
	}
	return found
		.map((one) => ({ ...one, start: at[one.start]!, end: at[one.end - 1]! + 1 }))
		.sort((a, b) => a.start - b.start)
}

const DATES: [RegExp, (parts: string[]) => [year: number, month: number, day: number]][] = [
	[/\b(\d{4})-(\d{2})-(\d{2})\b/g, ([y, m, d]) => [Number(y), Number(m), Number(d)]],
	[/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, ([d, m, y]) => [Number(y), Number(m), Number(d)]],
	[
		/\b(\d{1,2})(?:st|nd|rd|th|\.)? (?:of |de )?(\p{L}{3,10})\.?(?:,? (?:de )?(\d{4}))?\b/gu,
		([d, m, y]) => [Number(y ?? 0), MONTHS.get(m!) ?? 0, Number(d)],
	],
	[
		/\b(\p{L}{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b/gu,
		([m, d, y]) => [Number(y ?? 0), MONTHS.get(m!) ?? 0, Number(d)],
	],
	[/\b(\p{L}{3,10}) (\d{4})\b/gu, ([m, y]) => [Number(y), MONTHS.get(m!) ?? 0, 0]],
]

/** "8 pm", "8:30 a.m." */
const HALF_DAY = /\b(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))? ?([ap])\.?m\b\.?/g

/** Year, month and day as one number; what is not said is 0. */
const dateValue = (year: number, month: number, day: number): number => year * 10_000 + month * 100 + day

function dates(text: string, found: Quantity[]): [number, number][] {
	const taken: [number, number][] = []
	for (const [pattern, read] of DATES)
		for (const match of text.matchAll(pattern)) {
			const [start, end] = [match.index, match.index + match[0].length]
			const [year, month, day] = read(match.slice(1))
			if (!month || month > 12 || day > 31 || taken.some(([from, to]) => start < to && end > from)) continue
			taken.push([start, end])
			found.push({ kind: 'date', value: dateValue(year, month, day), of: '', start, end, bound: '' })
		}
	for (const match of text.matchAll(HALF_DAY)) {
		const [start, end] = [match.index, match.index + match[0].length]
		if (taken.some(([from, to]) => start < to && end > from)) continue
		taken.push([start, end])
		const value = ((Number(match[1]) % 12) + (match[3] === 'p' ? 12 : 0)) * 60 + Number(match[2] ?? 0)
		found.push({ kind: 'clock', value, of: 'half', start, end, bound: '' })
	}
	for (const match of text.matchAll(/\b([01]?\d|2[0-3])[:h]([0-5]\d)\b/g)) {
		const [start, end] = [match.index, match.index + match[0].length]
		if (taken.some(([from, to]) => start < to && end > from)) continue
		taken.push([start, end])
		const value = Number(match[1]) * 60 + Number(match[2])
		found.push({ kind: 'clock', value, of: '', start, end, bound: '' })
	}
	return taken
}

interface Numbered {
	value: number
	/** Place behind the last token. */
	to: number
	spelled: boolean
}

function numberAt(tokens: readonly Token[], from: number): Numbered | null {
	const first = tokens[from]!.text
	if (first === 'half' || ((first === 'a' || first === 'an') && tokens[from + 1]?.text === 'half'))
		return { value: 0.5, to: from + (first === 'half' ? 1 : 2), spelled: true }
	if (
		(first === 'a' || first === 'an') &&
		UNITS.has(tokens[from + 1]?.text ?? '') &&
		isHalfMore(tokens, from + 2)
	)
		return { value: 1, to: from + 1, spelled: true }
	if (
		(first === 'a' || first === 'an') &&
		LASTS.has(tokens[from - 1]?.text ?? '') &&
		UNITS.has(tokens[from + 1]?.text ?? '')
	)
		return { value: 1, to: from + 1, spelled: true }
	if (first === 'a' && (tokens[from + 1]?.text === 'dozen' || SCALES.has(tokens[from + 1]?.text ?? '')))
		return { value: wordValue(tokens[from + 1]!.text), to: from + 2, spelled: true }
	const part = FRACTIONS.get(tokens[from + 1]?.text ?? '')
	const count = first === 'a' || first === 'one' ? 1 : NUMBER_WORDS.get(first)
	if (part && count && tokens[from + 2]?.text === 'of')
		return { value: count / part, to: from + 2, spelled: true }
	let value = /^\d/.test(first) ? digits(first) : NUMBER_WORDS.get(first)
	if (value === undefined) return null
	let to = from + 1
	for (; to < tokens.length; to++) {
		const { text } = tokens[to]!
		const scale = SCALES.get(text)
		const next = NUMBER_WORDS.get(text)
		if (scale) value *= scale
		else if (
			next !== undefined &&
			value % 10 === 0 &&
			value >= 20 &&
			next > 0 &&
			next < (value % 100 ? 10 : 100)
		)
			value += next
		else if (text === 'and' && tokens[to + 1]?.text === 'a' && tokens[to + 2]?.text === 'half') {
			value += 0.5
			to += 2
		} else if (text === 'and' && value >= 100 && NUMBER_WORDS.has(tokens[to + 1]?.text ?? '')) continue
		else break
	}
	return { value, to, spelled: !/^\d/.test(first) }
}

/** "Longer than a year", "lasts a week": here the article counts. */
const LASTS = new Set('than lasts last lasted takes take took for within runs'.split(' '))
const wordValue = (word: string): number => SCALES.get(word) ?? NUMBER_WORDS.get(word) ?? 1

/** 1,200 and 1.200 are 1200; 12.50 is 12.5; 3,5 is 3.5. */
function digits(text: string): number {
	const parts = text.split(/[.,]/)
	if (parts.length === 1) return Number(text)
	const last = parts.pop()!
	const grouped =
		parts[0]!.length <= 3 && parts[0] !== '0' && [...parts.slice(1), last].every((part) => part.length === 3)
	return grouped ? Number(parts.join('') + last) : Number(`${parts.join('')}.${last}`)
}

function add(
	tokens: readonly Token[],
	from: number,
	number: Numbered,
	text: string,
	found: Quantity[],
): number {
	let { value, to } = number
	let [start, end] = [tokens[from]!.start, tokens[to - 1]!.end]
	const before = tokens[from - 1]
	const money = before && UNITS.get(before.text)
	const after = tokens[to]
	// "one and a half hours", "5 per cent", "half of", "half an hour".
	let unit = after && UNITS.get(after.text)
	let kind = 'count'
	let of = ''
	if (money && MONEY.has(money[0]) && text.slice(before.end, start).trim() === '') {
		kind = money[0]
		start = before.start
	} else if (after?.text === 'per' && tokens[to + 1]?.text === 'cent') {
		kind = 'share'
		end = tokens[to + 1]!.end
		to += 2
	} else {
		// "half an hour", "a quarter of a kilo".
		let at = after?.text === 'of' ? to + 1 : to
		if (tokens[at]?.text === 'an' || tokens[at]?.text === 'a') at++
		if (at > to && UNITS.has(tokens[at]?.text ?? '')) {
			unit = UNITS.get(tokens[at]!.text)!
			to = at
		}
	}
	if (kind === 'count' && unit && text.slice(end, tokens[to]!.start).length <= FURTHEST_UNIT) {
		kind = unit[0]
		value *= unit[1]
		end = tokens[to]!.end
		to++
		// "An hour and a half", "two years and a half".
		if (isHalfMore(tokens, to)) {
			value += unit[1] / 2
			end = tokens[to + 2]!.end
			to += HALF_MORE.length
		}
	} else if (kind === 'count' && value > 0 && value < 1 && number.spelled) {
		kind = 'share'
		value *= 100
	} else if (kind === 'count' && !number.spelled && /^(1[0-9]|20)\d\d$/.test(tokens[from]!.text))
		kind = 'year'
	else if (kind === 'count') of = after ? stem(after.text) : ''
	found.push({
		kind,
		value,
		of,
		start,
		end,
		bound: boundBefore(text.slice(Math.max(0, start - BOUND_UNITS), start)),
	})
	return Math.max(to, from + 1)
}

const HALF_MORE = ['and', 'a', 'half']
/** Of the unit before, not "and a half day". */
const isHalfMore = (tokens: readonly Token[], from: number): boolean =>
	HALF_MORE.every((word, i) => tokens[from + i]?.text === word) &&
	!UNITS.has(tokens[from + HALF_MORE.length]?.text ?? '')
/** " of a " stands between a number and its unit at most. */
const FURTHEST_UNIT = 6

const BOUND_UNITS = 20

function boundBefore(text: string): Quantity['bound'] {
	if (/(at least|no less than|not less than|minimum of) $/.test(text)) return '>='
	if (
		/(more than|longer than|higher than|greater than|larger than|bigger than|older than|heavier than|over|above|exceeding|exceeds) (?:a |an )?$/.test(
			text,
		)
	)
		return '>'
	if (/(at most|up to|no more than|maximum of) $/.test(text)) return '<='
	return /(less than|fewer than|shorter than|lower than|smaller than|younger than|cheaper than|lighter than|under|below|within) (?:a |an )?$/.test(
		text,
	)
		? '<'
		: ''
}
