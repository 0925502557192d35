/**
 * Of how many a thing is true: "all", "most", "some", "nobody". Claim and passage say the same of the same, or what
 * excludes it ("nobody failed", "everyone passed"); what remains are the shares of those meant, from 0 to 1.
 */
import { align } from '../text/align.ts'
import { languageOf } from '../text/languages.ts'
import { FUNCTION, NEGATION, NUMBER, type Phrase } from '../text/phrase.ts'
import { type Found, isEither, statesIn } from '../text/states.ts'
import type { Direction } from './reversed.ts'

/** Least and most, and whether these themselves are possible. */
type Range = readonly [least: number, most: number, withLeast: boolean, withMost: boolean]

const RANGES: Record<string, Range> = {
	all: [1, 1, true, true],
	most: [0.5, 1, false, true],
	some: [0, 1, false, true],
	few: [0, 0.5, false, false],
	none: [0, 0, true, true],
	notAll: [0, 1, true, false],
}

const WORDS = Object.entries({
	all: 'all every each everyone everybody alle jeder jede jedes samtliche tous toutes chaque todos todas cada tutti tutte ogni iedereen elke все каждыи herkes tum butun wszyscy wszystkie kazdy',
	most: 'most mostly meisten plupart mayoria maggioranza maioria meeste большинство cogu wiekszosc',
	some: 'some someone somebody several einige manche mehrere jemand quelques certains certaines plusieurs algunos algunas varios varias alcuni alcune alguns algumas sommige enkele некоторые несколько bazi birkac niektorzy niektore kilka',
	few: 'few handful wenige peu pocos pocas pochi poche poucos poucas weinig weinige немногие niewiele nieliczni',
	none: 'none nobody no-one keiner keine niemand personne aucun aucune nadie ninguno ninguna ningun nessuno nessuna ninguem nenhum nenhuma geen niemand никто kimse hicbir nikt zaden zadne',
})
const byWord = new Map(
	WORDS.flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)),
)

interface Quantified {
	phrase: Phrase
	word: string
	range: Range
	/** The quantifier's words, and those of a state. */
	used: Set<number>
	/** "everyone": it names no kind of thing. */
	anybody: boolean
	states: Found[]
}

const MOST_WORDS = 12
const LIKE = 0.6

export function amountOf(claim: Phrase, passages: readonly Phrase[]): Direction | null {
	const bounded = boundedBy(claim)
	const mine = bounded ?? quantified(claim)
	if (!mine || (!bounded && hasNumber(claim))) return null
	for (const passage of passages) {
		const theirs = quantified(passage) ?? counted(passage)
		const said = theirs && compared(mine, theirs, bounded !== null)
		if (said) return said
	}
	return null
}

/** `onlyNone`: of a number only "none" tells without counting. */
function compared(mine: Quantified, theirs: Quantified, onlyNone: boolean): Direction | null {
	const [one] = mine.states
	const other = theirs.states.find(({ kind }) => kind === one?.kind)
	const turned = one && other && one.state !== other.state
	if (turned && !isEither(one)) return null
	// In the same words the learned model reads better.
	if (!turned && mine.word === theirs.word) return null
	if (other) for (let i = other.from; i < other.to; i++) theirs.used.add(i)
	if (one && other) for (let i = one.from; i < one.to; i++) mine.used.add(i)
	if (!covers(mine, theirs) || !(mine.anybody || covers(theirs, mine))) return null
	const given = turned ? complement(theirs.range) : theirs.range
	if (onlyNone && given[1] > 0) return null
	if (isWithin(given, mine.range)) return 'same'
	return isApart(given, mine.range) ? 'turned' : 'open'
}

/** Every other content word of the one has its like in the other. */
function covers(one: Quantified, other: Quantified): boolean {
	const { strength, rival } = align(one.phrase, other.phrase)
	return one.phrase.words.every(
		(_, i) =>
			one.used.has(i) ||
			(one.phrase.marks[i]! & (FUNCTION | NEGATION | NUMBER)) !== 0 ||
			(strength[i]! >= LIKE && rival[i]! < strength[i]!),
	)
}

function quantified(phrase: Phrase): Quantified | null {
	const { words, marks } = phrase
	if (words.length > MOST_WORDS) return null
	const places = words.flatMap((_, i) => (nameAt(words, i) ? [i] : []))
	const [at, more] = places
	if (at === undefined || more !== undefined) return null
	const name = nameAt(words, at)!
	const notAll = name === 'all' && at > 0 && (marks[at - 1]! & NEGATION) !== 0
	const used = new Set(notAll ? [at - 1, at] : words[at + 1] === 'one' ? [at, at + 1] : [at])
	const states = statesIn(phrase).filter(({ from }) => !used.has(from))
	const denied = isDenied(phrase, states, used)
	// "All are not there" may mean that none is or that some are not.
	if (denied && (name === 'all' || (name === 'none' && !languageOf(words)))) return null
	const range = RANGES[notAll ? 'notAll' : name]!
	return {
		...{ phrase, used, states, word: words[at]! },
		// Many languages deny twice: "никто не пришёл".
		range: denied && name !== 'none' ? complement(range) : range,
		anybody: /(?:one|body)$|^(?:iedereen|jemand|niemand|nadie|ninguem|herkes|kimse)$/.test(words[at]!),
	}
}

/** "At most two", "at least one". */
function boundedBy(phrase: Phrase): Quantified | null {
	const { words, marks } = phrase
	const head = BOUNDS.find(([bound]) => bound.every((word, i) => words[i] === word))
	const [bound, range] = head ?? []
	if (
		!bound ||
		words.length > MOST_WORDS ||
		!(marks[bound.length]! & NUMBER || words[bound.length] === 'one')
	)
		return null
	const used = new Set(Array.from({ length: bound.length + 1 }, (_, i) => i))
	const states = statesIn(phrase).filter(({ from }) => !used.has(from))
	if (isDenied(phrase, states, used)) return null
	return { phrase, used, states, word: bound.join(' '), range: range!, anybody: false }
}

const BOUNDS: [string[], Range][] = [
	[['at', 'most'], RANGES.none!],
	[['no', 'more', 'than'], RANGES.none!],
	[['at', 'least'], RANGES.some!],
	[['more', 'than'], RANGES.some!],
]

/** "Two students failed": of some it is true. */
function counted(phrase: Phrase): Quantified | null {
	const { words, marks } = phrase
	const [states, used] = [statesIn(phrase), new Set([0])]
	if (words.length > MOST_WORDS || !(marks[0]! & NUMBER) || isDenied(phrase, states, used)) return null
	return { phrase, used, states, word: words[0]!, range: RANGES.some!, anybody: false }
}

const isDenied = ({ marks }: Phrase, states: readonly Found[], used: ReadonlySet<number>): boolean =>
	marks.some(
		(mark, i) => mark & NEGATION && !used.has(i) && !states.some(({ from, to }) => i >= from && i < to),
	)

const nameAt = (words: readonly string[], i: number): string | undefined =>
	words[i] === 'no' && i === 0 ? 'none' : byWord.get(words[i]!)

const hasNumber = ({ marks }: Phrase): boolean => marks.some((mark) => mark & NUMBER)

const complement = ([least, most, withLeast, withMost]: Range): Range => [
	1 - most,
	1 - least,
	withMost,
	withLeast,
]

const isWithin = (one: Range, other: Range): boolean =>
	(one[0] > other[0] || (one[0] === other[0] && (other[2] || !one[2]))) &&
	(one[1] < other[1] || (one[1] === other[1] && (other[3] || !one[3])))

const isApart = (one: Range, other: Range): boolean => isBelow(one, other) || isBelow(other, one)

const isBelow = (one: Range, other: Range): boolean =>
	one[1] < other[0] || (one[1] === other[0] && !(one[3] && other[2]))
