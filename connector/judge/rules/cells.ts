/** What a table says of a claim: the row that the claim names, the column, and the value that it gives. */
import { fold } from '../text/fold.ts'
import { closeness, wordId } from '../text/lexicon.ts'
import { stem } from '../text/stem.ts'
import { quantities } from './quantities.ts'
import type { Table } from './tables.ts'

/** 1 where the table has it, −1 where it has something else, 0 where it says nothing of it. */
export type Said = -1 | 0 | 1

const MORE =
	/\b(more|most|higher|highest|larger|largest|bigger|biggest|dearest|expensive|older|oldest|longer|longest|greater|greatest|taller|heavier)\b/
const LESS =
	/\b(less|least|fewer|fewest|lower|lowest|smaller|smallest|cheaper|cheapest|younger|youngest|shorter|shortest|lighter)\b/
const MOST =
	/\b(most|highest|largest|biggest|dearest|oldest|longest|greatest|least|fewest|lowest|smallest|cheapest|youngest|shortest)\b/
const NEGATED = /\b(not|no|never|n't|isn't|aren't|doesn't|hasn't)\b/

export function tableSays(table: Table, claim: string): Said {
	const text = ` ${fold(claim).text.replace(/[.?!]+$/, '')} `
	const counted = countSaid(table, text)
	if (counted) return counted
	const named = table.rows.filter((row) => row[0] && has(text, row[0]))
	// The longest name counts: "desk lamp" is not "lamp".
	const rows = named.filter(
		(row) => !named.some((other) => other[0] !== row[0] && other[0]!.includes(row[0]!)),
	)
	if (!rows.length) return 0
	const column = columnOf(table, text)
	const compares = MORE.test(text) || LESS.test(text)
	if (compares && rows.length === 2 && rows[0]![0] !== rows[1]![0]) return compared(table, text, rows, column)
	if (rows.length === 1 && (MOST.test(text) || /\bnothing is\b/.test(text)))
		return superlative(table, text, rows[0]!, column)
	if (rows.length !== 1 || compares) return 0
	const said = valueSaid(table, text, rows[0]!, column)
	return NEGATED.test(text) ? (-said as Said) : said
}

/** "There are 5 items in the list", "Three of the items are sold out", "The total quantity is 136". */
function countSaid(table: Table, text: string): Said {
	const [one, ...more] = quantities(text)
	if (!one || more.length || (one.kind !== 'count' && one.kind !== 'year')) return 0
	if (/^ there are \S+ (items|rows|entries|records|lines)( in the (list|table))? $/.test(text))
		return one.value === table.rows.length ? 1 : -1
	if (/^ (the )?total /.test(text)) {
		const k = numeric(table, columnOf(table, text.replace('total', ' ')))
		return k
			? Math.abs(table.rows.reduce((sum, row) => sum + amount(row[k]!)!, 0) - one.value) < 1e-6
				? 1
				: -1
			: 0
	}
	if (!/^ (\S+) of the \S+ (are|is|were|was|have|has) /.test(text)) return 0
	for (let k = 1; k < table.head.length; k++) {
		const value = table.rows.find((row) => row[k] && has(text, row[k]!) && amount(row[k]!) === null)?.[k]
		if (value) return table.rows.filter((row) => row[k] === value).length === one.value ? 1 : -1
	}
	return 0
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** Whether the cell stands in the text as whole words. */
function has(text: string, cell: string): boolean {
	if (!cell.length) return false
	for (let at = text.indexOf(cell); at >= 0; at = text.indexOf(cell, at + 1)) {
		const [before, after] = [text[at - 1] ?? ' ', text[at + cell.length] ?? ' ']
		if (!LETTER_OR_DIGIT.test(before) && !LETTER_OR_DIGIT.test(after)) return true
	}
	return false
}

function valueSaid(table: Table, text: string, row: readonly string[], column: number): Said {
	const rest = text.replace(row[0]!, ' ')
	const own = row.findIndex((cell, k) => k > 0 && cell.length > 0 && says(rest, cell))
	if (own > 0)
		return column > 0 && column !== own && !has(rest, table.head[own]!) && !says(rest, row[column]!) ? -1 : 1
	for (let k = 1; k < table.head.length; k++)
		if (table.rows.some((other) => other[k] && says(rest, other[k]!))) return -1
	return column > 0 && valuesIn(rest).length === 1 && amount(row[column] ?? '') !== null ? -1 : 0
}

/** The cell's words or its amount stand in the text. */
function says(text: string, cell: string): boolean {
	if (has(text, cell)) return true
	const value = amount(cell)
	return value !== null && valuesIn(text).some((one) => Math.abs(one - value) < 1e-9)
}

let last: { text: string; values: number[] } = { text: '', values: [] }

/** Of the text asked last: every cell asks the same. */
function valuesIn(text: string): number[] {
	if (last.text !== text) last = { text, values: quantities(text).map(({ value }) => value) }
	return last.values
}

const amounts = new Map<string, number | null>()
const AMOUNTS_KEPT = 20_000
const LONGEST_AMOUNT_UNITS = 40

/** The number of a cell that has one number; kept, because every claim about a table asks again. */
function amount(cell: string): number | null {
	if (cell.length > LONGEST_AMOUNT_UNITS || !/\d/.test(cell)) return null
	let found = amounts.get(cell)
	if (found === undefined) {
		const list = quantities(cell)
		found = list.length === 1 ? list[0]!.value : null
		if (amounts.size > AMOUNTS_KEPT) amounts.clear()
		amounts.set(cell, found)
	}
	return found
}

const NEAR = 0.45
/** Adjectives and verbs of a column. */
const MEANT: [RegExp, RegExp][] = [
	[/\b(cheap|cheaper|cheapest|expensive|costs?|dearer|dearest)\b/, /price|cost|fee|rate/],
	[/\b(old|older|oldest|young|younger|youngest)\b/, /age/],
	[/\b(earns?|paid)\b/, /salary|wage|pay|income/],
	[/\b(stored|kept)\b/, /warehouse|store|place|location/],
]

/** The column that the claim names, in its word or a near one; 0 where it names none. */
function columnOf({ head }: Table, text: string): number {
	const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
	const stems = new Set(words.map(stem))
	let best = 0
	let most = NEAR
	const meant = MEANT.find(([pattern]) => pattern.test(text))?.[1]
	head.forEach((name, k) => {
		if (k && meant?.test(name)) [best, most] = [k, 1]
		if (!k) return
		const parts = name.match(/[\p{L}\p{N}]+/gu) ?? []
		if (parts.length && parts.every((part) => stems.has(stem(part)))) [best, most] = [k, 2]
		for (const part of parts)
			for (const word of words) {
				const near = closeness(wordId(part), wordId(word))
				if (near > most) [best, most] = [k, near]
			}
	})
	return best
}

function numeric({ head, rows }: Table, column: number): number {
	const countable = head.flatMap((_, k) =>
		k && rows.every((row) => amount(row[k] ?? '') !== null) ? [k] : [],
	)
	if (countable.includes(column)) return column
	return countable.length === 1 ? countable[0]! : 0
}

function compared(table: Table, text: string, rows: readonly string[][], column: number): Said {
	const k = numeric(table, column)
	if (!k) return 0
	const [first, second] = rows.toSorted((a, b) => text.indexOf(a[0]!) - text.indexOf(b[0]!)) as [
		string[],
		string[],
	]
	const difference = amount(first[k]!)! - amount(second[k]!)!
	return (LESS.test(text) ? -difference : difference) > 0 ? 1 : -1
}

function superlative(table: Table, text: string, row: readonly string[], column: number): Said {
	const k = numeric(table, column)
	if (!k) return 0
	const values = table.rows.map((other) => amount(other[k]!)!)
	const wanted = LESS.test(text) ? Math.min(...values) : Math.max(...values)
	return amount(row[k]!) === wanted ? 1 : -1
}
