/** Whether something went up or down: "8 percent more expensive than a year ago" is a rise. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'

const BEFORE =
	"(?:(?:a|one|two|three|\\d+) (?:year|month|week|day)s? (?:ago|earlier|before)|(?:last|the previous|the year before|previous) ?(?:year|month|week|season|summer|winter|spring|autumn|time)?|before|yesterday|in \\d{4}|im vorjahr|vor einem jahr|l'an dernier|el ano pasado|l'anno scorso)"
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
