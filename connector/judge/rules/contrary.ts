/** A passage that is the claim but for one word, or one sign, that makes it say the contrary. */
import type { Phrase } from '../text/phrase.ts'
import { exclude } from './exclusive.ts'
import { differences } from './swapped.ts'
import { UNITS } from './words.ts'

const MOST_WORDS = 24
/** One of these more, and it does not hold any longer. */
const DENIES = new Set('hardly barely scarcely kaum apenas nauwelijks едва 不 未 没 لم لا ليس'.split(' '))

export interface Said {
	phrase: Phrase
	/** As it is written. */
	text: string
}

export function isContrary(claim: Said, said: Said): boolean {
	const [mine, theirs] = [wordsOf(claim.phrase), wordsOf(said.phrase)]
	if (!mine.length || mine.length > MOST_WORDS) return false
	if (mine.length !== theirs.length)
		return [isDenied, isNegated].some((rule) => rule(mine, theirs) || rule(theirs, mine))
	const [place, more] = differences(
		mine.map(({ stem }) => stem),
		theirs.map(({ stem }) => stem),
	)
	if (place === undefined) return signsOf(claim.text) !== signsOf(said.text)
	if (more !== undefined) return false
	const [one, other] = [mine[place]!.word, theirs[place]!.word]
	if (mine[place + 1]?.word === 'm' && one.length === 1 && other.length === 1)
		return exclude(`${one}m`, `${other}m`)
	return exclude(one, other) || areOtherUnits(one, other)
}

/** "Out of" is one word. */
const wordsOf = ({ words, stems }: Phrase) =>
	words.flatMap((word, i) => (word === 'of' && words[i - 1] === 'out' ? [] : [{ word, stem: stems[i]! }]))

type Words = ReturnType<typeof wordsOf>

function isDenied(longer: Words, shorter: Words): boolean {
	if (longer.length !== shorter.length + 1) return false
	const place = longer.findIndex(({ stem }, i) => stem !== shorter[i]?.stem)
	return (
		DENIES.has(longer[place]!.word) &&
		longer.slice(place + 1).every(({ stem }, i) => stem === shorter[place + i]!.stem)
	)
}

const HELPS = new Set('do does did'.split(' '))
const HELPS_NOT = new Set("don't doesn't didn't dont doesnt didnt".split(' '))

/** "Did not fail" beside "failed". */
function isNegated(longer: Words, shorter: Words): boolean {
	const place = longer.findIndex(({ stem }, i) => stem !== shorter[i]?.stem)
	const more = longer.length - shorter.length
	const [first, second] = [longer[place]?.word ?? '', longer[place + 1]?.word]
	const helps = (more === 1 && HELPS_NOT.has(first)) || (more === 2 && HELPS.has(first) && second === 'not')
	return helps && longer.slice(place + more).every(({ stem }, i) => stem === shorter[place + i]!.stem)
}

/** Of each number whether a minus stands before it: no hyphen of a range, a date or a word. */
const signsOf = (text: string): string =>
	[...text.matchAll(/(?<=^|[\s(:;])([-−])?\p{Sc}?\d[\d.,]*/gu)]
		.map(([, minus]) => (minus ? '-' : '+'))
		.join('')

/** Units that amounts are not converted from (words.ts): word and what it is one of. */
const NOT_CONVERTED = new Map(
	'mile miles|foot feet|inch inches|yard yards|pound pounds|ounce ounces|gallon gallons|mb|gb|tb|kb'
		.split('|')
		.flatMap((words) => words.split(' ').map((word) => [word, words] as const)),
)

function areOtherUnits(one: string, other: string): boolean {
	const [mine, theirs] = [one, other].map((word) => UNITS.get(word)?.join(' ') ?? NOT_CONVERTED.get(word))
	return mine !== undefined && theirs !== undefined && mine !== theirs
}
