/**
 * What one phrase says beside another, as numbers: how much of `a` (a claim, a query, an answer) is in `b`, what is
 * missing and of what kind, and what speaks against it. One set of features serves every tool that compares two texts.
 */
import { type Alignment, align } from './align.ts'
import { areAntonyms, closeness } from './lexicon.ts'
import { FUNCTION, NAME, NEGATION, NUMBER, type Phrase } from './phrase.ts'
import { dot } from './similarity.ts'

export const COMPARED = [
	'exact',
	'soft',
	'plain',
	'least',
	'second',
	'names',
	'namesMissing',
	'numbersMissing',
	'numbersFound',
	'numbersOther',
	'negationA',
	'negationB',
	'negationDiffers',
	'antonyms',
	'rivals',
	'replaced',
	'pairs',
	'run',
	'chars',
	'meaning',
	'order',
	'back',
	'backSoft',
	'lengthA',
	'lengthB',
	'ratio',
	'only',
	'all',
	'hedge',
	'rarestMissing',
	'missing',
	'yearGap',
	'first',
	'degree',
	'subject',
	'object',
	'numberReplaced',
	'nameReplaced',
] as const
export type Compared = Float32Array

const ONLY = new Set('only solely exclusively just nur solo solamente seulement uniquement'.split(' '))
const ALL = new Set(
	'all every always everyone everything entirely completely each must impossible none never alle immer todos siempre tous toujours'.split(
		' ',
	),
)
const HEDGE = new Set(
	'may might could some sometimes perhaps possibly reportedly allegedly often usually many several about around approximately'.split(
		' ',
	),
)
const FIRST = new Set('i me my we our you your'.split(' '))
const DEGREE = new Set(
	'more less fewer most least first last best worst largest smallest higher lower before after over under than'.split(
		' ',
	),
)

export function compare(a: Phrase, b: Phrase): Compared {
	const there = align(a, b)
	const back = align(b, a)
	const out = new Float32Array(COMPARED.length)
	const put = (name: (typeof COMPARED)[number], value: number) => {
		out[PLACE[name]!] = value
	}
	coverage(a, there, put)
	particulars(a, b, there, put)
	conflicts(a, b, there, back, put)
	let covered = 0
	let soft = 0
	for (let j = 0; j < b.words.length; j++) {
		covered += back.exact[j]! * b.weights[j]!
		soft += back.strength[j]! * b.weights[j]!
	}
	put('back', b.total ? covered / b.total : 0)
	put('backSoft', b.total ? soft / b.total : 0)
	put('chars', dot(a.chars(), b.chars()))
	put('meaning', dot(a.meaning(), b.meaning()))
	put('lengthA', Math.log1p(a.words.length))
	put('lengthB', Math.log1p(b.words.length))
	put('ratio', Math.min(4, a.words.length / Math.max(1, b.words.length)))
	for (const [name, set] of WORD_SETS) put(name, countIn(a, set) - Math.min(1, countIn(b, set)))
	put('first', countIn(a, FIRST))
	return out
}

const PLACE = Object.fromEntries(COMPARED.map((name, i) => [name, i])) as Record<string, number>
const WORD_SETS = [
	['only', ONLY],
	['all', ALL],
	['hedge', HEDGE],
	['degree', DEGREE],
] as const
type Put = (name: (typeof COMPARED)[number], value: number) => void

function countIn(phrase: Phrase, set: ReadonlySet<string>): number {
	let count = 0
	for (const word of phrase.words) if (set.has(word)) count++
	return Math.min(2, count)
}

function coverage(a: Phrase, { strength, exact, place }: Alignment, put: Put): void {
	let whole = 0
	let soft = 0
	let plain = 0
	let content = 0
	let least = 1
	let second = 1
	let rarest = 0
	let missing = 0
	for (let i = 0; i < a.words.length; i++) {
		whole += exact[i]! * a.weights[i]!
		soft += strength[i]! * a.weights[i]!
		if (a.marks[i]! & FUNCTION) continue
		content++
		plain += strength[i]!
		if (strength[i]! < 0.6) {
			missing++
			rarest = Math.max(rarest, a.weights[i]!)
		}
		if (strength[i]! < least) [least, second] = [strength[i]!, least]
		else if (strength[i]! < second) second = strength[i]!
	}
	put('exact', a.total ? whole / a.total : 0)
	put('soft', a.total ? soft / a.total : 0)
	put('plain', content ? plain / content : 0)
	put('least', least)
	put('second', second)
	put('missing', missing)
	put('rarestMissing', rarest)
	let pairs = 0
	let rising = 0
	let aligned = 0
	let run = 0
	let longest = 0
	for (let i = 1; i < a.words.length; i++) {
		if (place[i]! < 0 || place[i - 1]! < 0) run = 0
		else {
			aligned++
			if (place[i]! > place[i - 1]!) rising++
			run = place[i]! === place[i - 1]! + 1 ? run + 1 : 0
			if (run) pairs++
			longest = Math.max(longest, run)
		}
	}
	put('pairs', a.words.length > 1 ? pairs / (a.words.length - 1) : 0)
	put('run', a.words.length > 1 ? longest / (a.words.length - 1) : 0)
	put('order', aligned ? rising / aligned : 0.5)
	// The halves tell apart who is missing from what is missing.
	const half = a.words.length >> 1
	put('subject', share(a, strength, 0, half))
	put('object', share(a, strength, half, a.words.length))
}

function share(a: Phrase, strength: Float32Array, from: number, to: number): number {
	let sum = 0
	let total = 0
	for (let i = from; i < to; i++) {
		total += a.weights[i]!
		sum += a.weights[i]! * strength[i]!
	}
	return total ? sum / total : 1
}

/** Names, numbers and negations: what must agree word for word. */
function particulars(a: Phrase, b: Phrase, { exact, strength }: Alignment, put: Put): void {
	let names = 0
	let namesFound = 0
	let numbersMissing = 0
	let numbersFound = 0
	let gap = 0
	const years = b.words.filter((word) => isYear(word)).map(Number)
	for (let i = 0; i < a.words.length; i++) {
		if (a.marks[i]! & NAME) {
			names++
			namesFound += Math.max(exact[i]!, strength[i]! > 0.8 ? 1 : 0)
		}
		if (!(a.marks[i]! & NUMBER)) continue
		if (exact[i]) numbersFound++
		else numbersMissing++
		if (!exact[i] && isYear(a.words[i]!) && years.length) {
			gap = Math.max(gap, Math.min(...years.map((year) => Math.abs(year - Number(a.words[i]!)))))
		}
	}
	let others = 0
	for (let j = 0; j < b.words.length; j++) if (b.marks[j]! & NUMBER && !a.places.has(b.stems[j]!)) others++
	put('names', names ? namesFound / names : 1)
	put('namesMissing', names - namesFound)
	put('numbersMissing', numbersMissing)
	put('numbersFound', numbersFound)
	put('numbersOther', numbersMissing ? Math.min(4, others) : 0)
	put('yearGap', Math.log1p(gap))
}

const isYear = (word: string) => word.length === 4 && word >= '1000' && word <= '2100'

/** What speaks against: a negation on one side only, opposites, another of the same kind, a word replaced in its place. */
function conflicts(a: Phrase, b: Phrase, there: Alignment, back: Alignment, put: Put): void {
	const negated = negations(a, there)
	const other = negations(b, back)
	put('negationA', negated)
	put('negationB', other)
	put('negationDiffers', negated > 0 !== other > 0 ? 1 : 0)
	let antonyms = 0
	let rivals = 0
	let replaced = 0
	for (let i = 0; i < a.words.length; i++) {
		if (there.exact[i] || a.marks[i]! & FUNCTION) continue
		rivals = Math.max(rivals, there.rival[i]!)
		for (let j = 0; j < b.words.length && j < 200; j++) {
			if (!back.exact[j] && areAntonyms(a.ids[i]!, b.ids[j]!)) antonyms++
		}
		const slot = slotOf(there, i)
		if (slot >= 0 && slot < b.words.length && !back.exact[slot] && !(b.marks[slot]! & FUNCTION)) {
			replaced = Math.max(replaced, 0.3 + Math.max(0, closeness(a.ids[i]!, b.ids[slot]!)))
		}
	}
	put('numberReplaced', Math.min(2, swapped(a, b, there, back, NUMBER)))
	put('nameReplaced', Math.min(2, swapped(a, b, there, back, NAME)))
	put('antonyms', Math.min(3, antonyms))
	put('rivals', rivals)
	put('replaced', replaced)
}

/** Missing numbers (or names) beside a word that has another number (or name) beside it on the other side. */
function swapped(a: Phrase, b: Phrase, there: Alignment, back: Alignment, mark: number): number {
	let count = 0
	for (let i = 0; i < a.words.length; i++) {
		if (!(a.marks[i]! & mark) || there.strength[i]! > 0.8) continue
		const beside = [i - 1, i + 1].filter(
			(k) => k >= 0 && k < a.words.length && !(a.marks[k]! & mark) && there.place[k]! >= 0,
		)
		const rival = beside.some((k) => {
			const j = there.place[k]! + (i - k)
			return j >= 0 && j < b.words.length && (b.marks[j]! & mark) !== 0 && !back.exact[j]
		})
		if (rival) count++
	}
	return count
}

/** Where in `b` the word should stand, judged by its neighbours. */
function slotOf({ place }: Alignment, i: number): number {
	const before = i > 0 ? place[i - 1]! : -1
	const after = i + 1 < place.length ? place[i + 1]! : -1
	if (before >= 0) return after < 0 || after - before === 2 ? before + 1 : -1
	return after > 0 ? after - 1 : -1
}

/** Negations near words that the other side has too. */
function negations(phrase: Phrase, { strength }: Alignment): number {
	let count = 0
	for (let i = 0; i < phrase.words.length; i++) {
		if (!(phrase.marks[i]! & NEGATION)) continue
		for (let k = Math.max(0, i - 4); k < Math.min(phrase.words.length, i + 5); k++) {
			if (k !== i && strength[k]! > 0.6 && !(phrase.marks[k]! & (FUNCTION | NEGATION))) {
				count++
				break
			}
		}
	}
	return Math.min(2, count)
}
