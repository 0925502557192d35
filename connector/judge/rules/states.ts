/**
 * A thing is in one state at a time: what is on its way has not arrived. The passage tells of the claim's state if it has
 * all other words of the claim, or names nothing else: "Out of stock".
 */
import { align } from '../text/align.ts'
import { clausesOf } from '../text/clauses.ts'
import { read } from '../text/document.ts'
import { FUNCTION, NEGATION, type Phrase, phraseOf } from '../text/phrase.ts'
import { type Found, isEither, isNegation, isNoLonger, statesIn } from '../text/states.ts'

const LONGEST_CLAIM_WORDS = 12
const LONGEST_CLAUSE_WORDS = 20
const LIKE = 0.8
/** Of how many a thing is true is another matter. */
const COUNTING = new Set(
	'all every each some most many few several only none nobody half both everyone everybody someone alle jeder jede einige manche viele wenige nur keiner tous toutes quelques plusieurs seulement todos todas algunos muchos pocos solo tutti tutte alcuni molti pochi alguns muitos poucos iedereen sommige veel weinig alleen все некоторые многие только wszyscy niektorzy tylko'.split(
		' ',
	),
)
/** What is said with these is no plain fact, or is one of time or of comparison. */
const ELSEWHERE = new Set(
	'that if unless until before after whether than without dass ob falls bevor nachdem que che dat als bis что если avant apres antes despues dopo voor na'.split(
		' ',
	),
)
const YET = new Set(
	'no not still yet longer already again now currently noch schon mehr wieder plus encore'.split(' '),
)

/** Right before a state these say that it is not reached. */
const ALMOST = new Set(
	'almost nearly half fast beinahe halb presque casi quasi quase bijna почти neredeyse prawie'.split(' '),
)

/** `itself`: the claim's own words, which the learned model reads better. */
type Said = -1 | 0 | 1 | 'itself'

/** 1 holds, −1 does not, 0 unknown. */
export function stateSays(claim: string, evidence: string): -1 | 0 | 1 {
	const mine = phraseOf(claim)
	if (!mine.words.length || mine.words.length > LONGEST_CLAIM_WORDS || hasOf(COUNTING, mine)) return 0
	const all = read(evidence).sentences.flatMap(({ words }) => words)
	const own = statesIn(mine, all).filter(({ passageOnly }) => !passageOnly)
	if (!own.length) return 0
	const clauses = clausesOf(evidence).map(phraseOf)
	const told = new Set<Said>()
	for (const one of own) {
		if (own.some((other) => other.kind === one.kind && other.state !== one.state)) continue
		for (const clause of clauses) {
			const said = saidOf(mine, one, clause, all)
			if (said !== null) told.add(said)
		}
	}
	const [only, more] = told
	return more !== undefined || only === undefined || only === 'itself' ? 0 : only
}

/** Null where the clause is not about it. */
function saidOf(mine: Phrase, one: Found, clause: Phrase, beside: readonly string[]): Said | null {
	if (clause.words.length > LONGEST_CLAUSE_WORDS) return null
	const found = statesIn(clause, [...mine.words, ...beside]).filter(({ kind }) => kind === one.kind)
	if (!found.length || !isAbout(mine, one, clause, found)) return null
	const [{ state }] = found as [Found]
	if (hasOf(COUNTING, clause) || hasOf(ELSEWHERE, clause) || found.some((other) => other.state !== state))
		return 0
	const [mineDenied, theirsDenied] = [isDenied(mine, [one]), isDenied(clause, found)]
	if (mineDenied === null || theirsDenied === null) return 0
	const same = found.every(({ from, to }) => textOf(clause, from, to) === textOf(mine, one.from, one.to))
	const bare = !mineDenied && !hasOf(ALMOST, mine)
	if (same && bare && (found.some(({ from }) => ALMOST.has(clause.words[from - 1]!)) || isOver(clause)))
		return -1
	if (same && mineDenied === theirsDenied) return 'itself'
	if (same) return null
	if (state === one.state) return mineDenied === theirsDenied ? 1 : -1
	if (!theirsDenied) return mineDenied ? 1 : -1
	if (!isEither(one)) return 0
	return mineDenied ? -1 : 1
}

/** All that the claim names besides is there, or the clause names nothing besides. */
function isAbout(mine: Phrase, one: Found, clause: Phrase, found: Found[]): boolean {
	const there = align(mine, clause)
	const besides = contentOf(mine, [one])
	if (besides.every((i) => there.strength[i]! >= LIKE))
		return besides.length > 0 || !contentOf(clause, found).length
	return besides.length === 1 && !contentOf(clause, found).length
}

const contentOf = (of: Phrase, within: readonly Found[]): number[] =>
	of.words.flatMap((word, i) =>
		of.marks[i]! & (FUNCTION | NEGATION) ||
		YET.has(word) ||
		within.some(({ from, to }) => i >= from && i < to)
			? []
			: [i],
	)

/** A negation outside the state's own words; null where there are several. */
function isDenied(of: Phrase, found: readonly Found[]): boolean | null {
	let negations = 0
	for (let i = 0; i < of.words.length; i++)
		if (isNegation(of, i) && !found.some(({ from, to }) => i >= from && i < to)) negations++
	return negations > 1 ? null : negations === 1
}

const hasOf = (set: ReadonlySet<string>, { words }: Phrase): boolean => words.some((word) => set.has(word))

/** The learned model does not know "ne … plus". */
const isOver = (clause: Phrase): boolean => clause.words.some((_, i) => isNoLonger(clause, i))

const textOf = ({ stems }: Phrase, from: number, to: number): string => stems.slice(from, to).join(' ')
