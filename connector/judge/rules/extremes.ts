/**
 * "Which is cheaper?": each option has one number in the clause that names it, and the question says which end counts.
 * Numbers that cannot be compared, or are not of what is asked for, pick nothing.
 */
import { NEGATION, phraseOf } from '../text/phrase.ts'
import { type Asked, wordAt } from './asked.ts'
import { partsOf } from './records.ts'
import { comparable, type Value, valueIn } from './values.ts'
import { MONEY } from './words.ts'

const MOST =
	/\b(?:bigger|biggest|deeper|deepest|thicker|thickest|broader|broadest|steeper|steepest|richer|richest|larger|largest|longer|longest|heavier|heaviest|taller|tallest|higher|highest|more expensive|most expensive|dearer|dearest|later|latest|newer|newest|younger|youngest|wider|widest|hotter|hottest|warmer|warmest|more|most|last|zuletzt|dernier|derniere|ultim[oa]|laatst|teurer|teuerste[rnsm]?|grosser|grosste[rnsm]?|langer|langste[rnsm]?|schwerer|hoher|hochste[rnsm]?|spater|neuer|junger|plus (?:cher|chere|grand|grande|long|longue|lourd|lourde|haut|haute|tard|jeune)|mas (?:caro|cara|grande|largo|larga|pesado|pesada|alto|alta|tarde|joven)|piu (?:caro|cara|grande|lungo|lunga|pesante|alto|alta|tardi|giovane))\b/
const LEAST =
	/\b(?:smaller|smallest|shallower|shallowest|thinner|thinnest|narrower|narrowest|poorer|poorest|shorter|shortest|lighter|lightest|lower|lowest|cheaper|cheapest|earlier|earliest|older|oldest|colder|coldest|less|least|fewer|fewest|first|zuerst|premier|premiere|primer[oa]|eerst|billiger|billigste[rnsm]?|gunstiger|gunstigste[rnsm]?|kleiner|kleinste[rnsm]?|kurzer|leichter|fruher|niedriger|alter|alteste[rnsm]?|moins cher|moins chere|plus (?:petit|petite|court|courte|leger|legere|bas|basse|tot|age|agee|vieux)|mas (?:barato|barata|pequeno|pequena|corto|ligero|temprano|viejo|vieja)|piu (?:economico|economica|piccolo|piccola|corto|leggero|presto|vecchio|vecchia))\b/
const OF_AGE =
	/\b(?:older|oldest|younger|youngest|alter|alteste[rnsm]?|junger|jungste[rnsm]?|age|agee|jeune|vieux|joven|viejo|giovane|vecchio)\b/
const OF_TIME =
	/\b(?:later|latest|newer|newest|last|earlier|earliest|first|zuletzt|dernier|derniere|ultim[oa]|laatst|zuerst|premier|premiere|primer[oa]|eerst|spater|neuer|fruher|tard|tot|tarde|temprano|tardi|presto)\b/
const OF_PRICE =
	/\b(?:cheaper|cheapest|expensive|dearer|dearest|teurer|teuerste[rnsm]?|billiger|billigste[rnsm]?|gunstiger|gunstigste[rnsm]?|chere?|car[oa]|barat[oa]|economic[oa])\b/
/** Bounds, ends and other adjectives: "at least 5", "no longer", "most affordable", "first name", "highest priority". */
const OTHERWISE =
	/\b(?:at (?:the )?(?:least|most|latest)|(?:no|any) (?:longer|more|later)|(?:more|less|fewer|longer|later|earlier|older) than|(?:first|last) (?:names?|class|time|day|week|month|quarter|year)|ranks?|ranked|priority|prioritat|place|position|(?:more|most|less|least) (?!expensive)\p{L}+(?:able|al|ible|ive|ful|ous|ent|ic|act|ish|ar))(?!\p{L})/u
const NUMBERED = /\b(?:versions?|releases?|build)\b/
const [IN_TIME, IN_YEARS] = [new Set(['date', 'clock', 'half', 'year']), new Set(['bare', 'months'])]

export function extremeOf({ question, options, text, clauses, named }: Asked): number {
	const [most, least] = [MOST.test(question), LEAST.test(question)]
	if (most === least || OTHERWISE.test(question)) return -1
	if (phraseOf(question).marks.some((mark) => mark & NEGATION)) return -1
	const inClauses = options.flatMap((option, i) => valueAt(option, named[i]!, clauses) ?? [])
	const inParts = () => partsOf(options, text)?.flatMap((part) => valueIn(part) ?? []) ?? []
	const given = inClauses.length === options.length ? inClauses : inParts()
	return given.length === options.length ? greatest(question, given) : -1
}

/** Place of the value that the question's "more" or "least" wants; −1 where they cannot be compared or are equal. */
export function greatest(question: string, given: readonly Value[]): number {
	const [most, least] = [MOST.test(question), LEAST.test(question)]
	const compared = most === least ? null : comparable(given)
	if (!compared || !isAsked(question, compared.kind)) return -1
	const { kind, values } = compared
	// Who is born later is younger, and who has more years is older.
	const up = OF_AGE.test(question) && !IN_TIME.has(kind) ? !most : most
	const end = up ? Math.max(...values) : Math.min(...values)
	return values.filter((value) => value === end).length === 1 ? values.indexOf(end) : -1
}

/** Whether the question can be about numbers of this kind. */
function isAsked(question: string, kind: string): boolean {
	if (OF_AGE.test(question)) return IN_TIME.has(kind) || (IN_YEARS.has(kind) && !NUMBERED.test(question))
	if (OF_TIME.test(question)) return IN_TIME.has(kind)
	return !OF_PRICE.test(question) || MONEY.has(kind) || kind === 'bare'
}

/** The one number of the one clause that names it. */
function valueAt(option: string, places: readonly number[], clauses: readonly string[]) {
	if (places.length !== 1) return null
	const clause = clauses[places[0]!]!
	const at = wordAt(clause, option)
	return valueIn(`${clause.slice(0, at)}|${clause.slice(at + option.length)}`)
}
