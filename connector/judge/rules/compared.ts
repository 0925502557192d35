/** "A is deeper than B" of a text that gives a number for each of the two. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { greatest } from './extremes.ts'
import { partsOf } from './records.ts'
import { valueIn } from './values.ts'

const THAN =
	/^(?:the )?(.{2,40}?) (?:is|was|are|were|costs?|weighs?|lasts?|lasted|takes?|took|runs?|ran|has|had|opened|arrived|ist|war|est|etait|es|era|e) (?:(?:much|far|a lot|slightly|even|viel|beaucoup|mucho|molto) )?((?:more|less|fewer|mehr|weniger|plus|moins|mas|menos|piu|meno) ?\p{L}*|\p{L}{3,}er) (?:than|als|que|di|del|della) (?:the |der |die |das |le |la |el |il )?(.{2,40})$/u
const DENIES = /\b(?:not|no|never|nicht|pas|non)\b|n't\b/
const LONGEST_UNITS = 400

export function comparedSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const said = fold(claim)
		.text.trim()
		.replace(/[.!\s]+$/, '')
	const found = THAN.exec(said)
	if (!found || DENIES.test(said)) return 0
	const [, one, degree, other] = found
	const parts = partsOf([one!, other!], fold(evidence).text)
	if (!parts?.every(Boolean)) return 0
	const values = parts.map(valueIn)
	const [first, second] = values
	if (!first || !second) return 0
	const place = greatest(`which is ${degree}`, [first, second])
	return place < 0 ? 0 : place === 0 ? 1 : -1
}
