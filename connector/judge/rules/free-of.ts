/** "Free of nuts, milk and gluten": what a thing does not contain, beside a claim that it does or does not. */
import { fold } from '../text/fold.ts'
import { stem } from '../text/stem.ts'

const LONGEST_UNITS = 300
/** The list behind "free of", up to the end of the clause. */
const FREE_OF =
	/\b(?:free (?:of|from)|contains? no|contain(?:s|ing)? neither|without(?: any)?|frei von|enthalt kein\p{L}*|ohne|sans|sin|senza|sem|zonder) ([\p{L}, ]{2,80})/gu
/** "Caffeine-free", "zuckerfrei". */
const JOINED = /(\p{L}{3,30}?)(?:-free|frei)(?!\p{L})/gu
const HAS =
	/^(?:the |this |our |it |das |der |die |dieses |le |la |el |il )?(?:[\p{L} ]{1,40} )?(?:contains?|has|includes?|enthalt|contient|contiene)( no| kein\p{L}*)? ([\p{L}-]{3,30})$/u
const BREAK = /[,\s]+|\b(?:and|or|und|oder|et|ou|y|o|e)\b/u

const listed = (text: string): Set<string> =>
	new Set(
		[...text.matchAll(FREE_OF), ...text.matchAll(JOINED)].flatMap(([, list]) =>
			list!.split(BREAK).filter(Boolean).map(stem),
		),
	)

export function freeOfSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (Math.max(claim.length, evidence.length) > LONGEST_UNITS) return 0
	const said = fold(claim).text.replace(/[\s.!]+$/u, '')
	const [, no, what] = HAS.exec(said) ?? []
	const wanted = what === undefined ? [...listed(said)] : [stem(what)]
	const isFree = what === undefined || no !== undefined
	if (wanted.length !== 1) return 0
	if (!listed(fold(evidence).text).has(wanted[0]!)) return 0
	return isFree ? 1 : -1
}
