/** Whether something went up or down: "8 percent more expensive than a year ago" is a rise. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { closeness } from '../text/lexicon.ts'
import { FUNCTION, phraseOf } from '../text/phrase.ts'
import { tokenize } from '../text/tokens.ts'

const BEFORE =
	"(?:(?:a|one|two|three|four|five|six|ten|twenty|a few|some|several|\\d+) (?:year|month|week|day)s? (?:ago|earlier|before)|(?:last|the previous|the year before|previous) ?(?:year|month|week|season|summer|winter|spring|autumn|time)?|before|yesterday|in \\d{4}|im vorjahr|vor einem jahr|l'an dernier|el ano pasado|l'anno scorso)"
const UP = new RegExp(
	`\\b(?:more|higher|dearer|costlier|larger|bigger|longer|teurer|mehr|plus|mas|piu)\\b[^.;]{0,30}\\b(?:than|als|que|di|che)\\b[^.;]{0,10}\\b${BEFORE}`,
)
const DOWN = new RegExp(
	`\\b(?:less|fewer|lower|cheaper|smaller|shorter|billiger|weniger|moins|menos|meno)\\b[^.;]{0,30}\\b(?:than|als|que|di|che)\\b[^.;]{0,10}\\b${BEFORE}`,
)
const ROSE =
	/\b(rose|risen|rises|rising|grew|grown|increased|went up|gone up|(?:got|became|become|getting|are|is) (?:more expensive|dearer|higher|larger)|gestiegen|teurer geworden|augmente|subieron|aumentat[oi])\b/
const FELL =
	/\b(fell|fallen|falls|falling|dropped|declined|decreased|shrank|went down|gone down|(?:got|became|become|getting|are|is) (?:cheaper|lower|smaller)|gesunken|billiger geworden|baisse|bajaron|diminuit[oi])\b/
const NEGATED = /\b(not|n't|never|nicht|ne|no|non)\b|n't\b/
const OF_PRICE = /\b(prices?|costs?|rents?|fares?|fees?|preise?|mieten?|prix|loyers?|precios?|prezz[oi])\b/
const PAYS =
	/\b(expensive|cheaper|dearer|costs?|pays?|paid|price|euros?|dollars?|cents?|teurer|billiger|kostet|cher|caro)\b/
const LONGEST_UNITS = 200

export function trendSays(claim: string, evidence: string): -1 | 0 | 1 {
	return comparedWithBefore(claim, evidence) || byYears(claim, evidence)
}

const YEARS = /(?<!\d)((?:19|20)\d\d)(?!\d)\s?[-–—:=|]\s?(?!(?:19|20)\d\d(?!\d))(\d[\d.,]*\d|\d)(?![\d:])/gu
const SINCE = new RegExp(
	`\\b${BEFORE}|\\b(?:than|since|as|seit|depuis|desde|dal|sinds) [^.]{0,20}(?:19|20)\\d\\d`,
	'u',
)
const MORE = /\b(?:more|higher|larger|bigger|greater|mehr|hoher|grosser|plus|mas|piu|meer|больше)\b/u
const LESS = /\b(?:less|fewer|lower|smaller|weniger|niedriger|kleiner|moins|menos|meno|minder|меньше)\b/u
/** A word of the claim that means nearly the same: "people" of "inhabitants". */
const NEAR = 0.45
const LONGEST_LIST_UNITS = 300

/** "More people than ten years ago" of a text that gives a number for each of two years. */
function byYears(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_LIST_UNITS) return 0
	const said = fold(claim).text
	const [up, down] = [MORE.test(said) || ROSE.test(said), LESS.test(said) || FELL.test(said)]
	if (up === down || NEGATED.test(said)) return 0
	if (!SINCE.test(said)) return 0
	const given = [...fold(evidence).text.matchAll(YEARS)].map(([, year, value]) => ({
		year: Number(year),
		value: Number(value!.replace(/[.,](?=\d{3})/g, '').replace(',', '.')),
	}))
	const [first, last, more] = given.toSorted((a, b) => a.year - b.year)
	if (!first || !last || more || first.year === last.year || first.value === last.value) return 0
	const [asked, there] = [phraseOf(claim), phraseOf(evidence)]
	const about = asked.ids.some(
		(id, i) =>
			!(asked.marks[i]! & FUNCTION) &&
			(there.places.has(asked.stems[i]!) || there.ids.some((other) => closeness(id, other) > NEAR)),
	)
	return about ? (last.value > first.value === up ? 1 : -1) : 0
}

function comparedWithBefore(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const [said, given] = [fold(claim).text, fold(evidence).text]
	const [rose, fell] = [ROSE.test(said), FELL.test(said)]
	const [up, down] = [UP.test(given), DOWN.test(given)]
	if (rose === fell || up === down || NEGATED.test(said) || NEGATED.test(given)) return 0
	const there = new Set(tokenize(given).stems)
	const about = tokenize(said).stems.some((stem) => stem.length > 3 && there.has(stem))
	if (!about && !(OF_PRICE.test(said) && PAYS.test(given))) return 0
	return rose === up ? 1 : -1
}
