/**
 * Options of which a text tells one after another, in rows of a table or in parts of a list: the one whose part has most
 * of the question and denies none of it. "Which hotel has a pool and takes dogs?"
 */
import { fold } from '../text/fold.ts'
import { areSynonyms } from '../text/lexicon.ts'
import { FUNCTION, NEGATION, NUMBER, type Phrase, phraseOf } from '../text/phrase.ts'
import { hasWord, wordAt } from './asked.ts'
import { type Table, tableIn } from './tables.ts'
import { NUMBER_WORDS } from './words.ts'

const YES = /^(?:yes|y|ja|oui|si|sim|true|x|да|evet|tak|✓|✔|✅)$/u
const NO = /^(?:no|n|nein|non|nao|nee|false|нет|hayir|nie|none|-|–|—|✗|✘|❌|)$/u
/** Where somebody is goes by the order of the text, see latest.ts. */
const MOVES = /^where (?:is|are|was|were)\b/i
const LONGEST_UNITS = 900
/** A word that most parts have tells little. */
const LEAST_LEAD = 1.5

export function recordOf(question: string, options: readonly string[], context: string): number {
	if (options.length < 2 || context.length > LONGEST_UNITS || MOVES.test(question)) return -1
	const asked = phraseOf(unelided(fold(question).text))
	const names = options.map((option) => fold(option).text.trim())
	const table = tableIn(context)
	return table ? rowOf(asked, names, table) : partOf(asked, names, unelided(fold(context).text))
}

/** "L'allemand" and "d'allemand" are one word. */
const unelided = (text: string): string =>
	text.replace(/(?<!\p{L})(?:[cdjlmnst]|qu)['’](?=\p{L}{2})/gu, '$& ')

/** The one row that has a "yes" in each column that the question names. */
function rowOf(asked: Phrase, names: readonly string[], { head, rows }: Table): number {
	const own = names.map((name) => rows.filter((row) => row.some((cell) => cell === name)))
	if (own.some((list) => list.length !== 1)) return -1
	const columns = head.flatMap((name, k) => {
		const cells = rows.map((row) => row[k]!)
		if (!cells.every((cell) => YES.test(cell) || NO.test(cell))) return []
		const named = phraseOf(name).stems
		const place = asked.stems.findIndex((stem) => named.includes(stem))
		return place < 0 ? [] : [{ k, wanted: !isDenied(asked, place) }]
	})
	if (!columns.length) return -1
	const fitting = own.flatMap(([row], i) =>
		columns.every(({ k, wanted }) => YES.test(row![k]!) === wanted) ? [i] : [],
	)
	return fitting.length === 1 ? fitting[0]! : -1
}

function partOf(asked: Phrase, names: readonly string[], text: string): number {
	if (asked.marks.some((mark) => mark & NEGATION)) return -1
	const parts = partsOf(names, text)
	if (!parts || parts.filter(Boolean).length < 2) return -1
	const phrases = parts.map((part) => phraseOf(part))
	const own = new Set(names.flatMap((name) => phraseOf(name).stems))
	const scores = names.map(() => 0)
	asked.stems.forEach((stem, i) => {
		if (asked.marks[i]! & FUNCTION || own.has(stem)) return
		const said = phrases.map((part) => saysIn(part, asked, i))
		const having = said.filter((one) => one > 0).length
		if (having === names.length && !said.some((one) => one < 0)) return
		const weight = asked.weights[i]! * Math.log(1 + names.length / Math.max(1, having))
		said.forEach((one, k) => {
			scores[k]! += weight * one
		})
	})
	const top = scores.indexOf(Math.max(...scores))
	const others = scores.filter((_, i) => i !== top)
	return scores[top]! > 0 && scores[top]! - Math.max(...others) >= LEAST_LEAD ? top : -1
}

/** The part of the text that tells of each name; null where two names stand in one part. */
export function partsOf(names: readonly string[], text: string): string[] | null {
	const at = names
		.map((name, i) => ({ i, from: wordAt(text, name), to: wordAt(text, name) + name.length }))
		.filter(({ from }) => from >= 0)
		.sort((a, b) => a.from - b.from)
	const parts = names.map(() => '')
	let start = 0
	for (const [k, one] of at.entries()) {
		const next = at[k + 1]
		const between = next ? text.slice(one.to, next.from) : ''
		if (next && hasWord(text.slice(one.to), names[one.i]!)) return null
		const cut = next ? cutIn(between) : text.length - one.to
		if (cut < 0) return null
		if (k === 0)
			start = Math.max(0, ...['. ', '; ', '\n', ': '].map((mark) => text.lastIndexOf(mark, one.from)))
		parts[one.i] = `${text.slice(start, one.from)} ${text.slice(one.to, one.to + cut)}`
		start = one.to + cut
	}
	return parts
}

/** Where one entry ends and the next begins. */
function cutIn(between: string): number {
	for (const pattern of [/[.;!?\n](?=[^.;!?\n]*$)/u, /,(?=[^,]*$)/u]) {
		const found = pattern.exec(between)
		if (found) return found.index
	}
	return -1
}

const REACH_WORDS = 3
const isDenied = ({ marks, words }: Phrase, place: number): boolean =>
	marks.slice(Math.max(0, place - REACH_WORDS), place).some((mark) => mark & NEGATION) ||
	NO_WORDS.has(words[place - 1] ?? '')
const NO_WORDS = new Set('no without pas sans kein keine keinen sin senza geen zonder sem non без'.split(' '))

/** 1 where the part has the word, −1 where it denies it, 0 where it has not. */
function saysIn(part: Phrase, asked: Phrase, i: number): -1 | 0 | 1 {
	const number =
		asked.marks[i]! & NUMBER || ORDINALS.has(asked.words[i]!) ? numeralOf(asked.words[i]!) : Number.NaN
	const place = part.stems.findIndex(
		(stem, j) =>
			stem === asked.stems[i] ||
			areSynonyms(part.ids[j]!, asked.ids[i]!) ||
			(!Number.isNaN(number) && numeralOf(part.words[j]!) === number),
	)
	if (place < 0) return 0
	return isDenied(part, place) ? -1 : 1
}

const ORDINALS = new Map(
	'first second third fourth fifth sixth seventh eighth ninth tenth'
		.split(' ')
		.map((word, i) => [word, i + 1]),
)
const numeralOf = (word: string): number =>
	ORDINALS.get(word) ?? NUMBER_WORDS.get(word) ?? Number(word.replace(/(?<=\d)(?:st|nd|rd|th)$/, ''))
