/** What rules of language and arithmetic say of a claim beside one short text, each of its own kind of matter. */
import { fold } from '../text/fold.ts'
import { languageOf } from '../text/languages.ts'
import { LANGUAGES } from '../text/stopwords.ts'
import { tokenize } from '../text/tokens.ts'
import { comparedSays } from './compared.ts'
import { dueSays } from './due.ts'
import { exceptedSays } from './excepted.ts'
import { exchangeSays } from './exchanges.ts'
import { frameOf } from './frames.ts'
import { freeOfSays } from './free-of.ts'
import { insteadSays } from './instead.ts'
import { labelSays } from './labelled.ts'
import { movedSays } from './moved.ts'
import { orderSays } from './ordered.ts'
import { permitSays } from './permits.ts'
import { rankedSays } from './ranked.ts'
import { rateSays } from './rates.ts'
import { replySays } from './replies.ts'
import { scopeSays } from './scope.ts'
import { scoreSays } from './scores.ts'
import { seasonSays } from './seasons.ts'
import { settingSays } from './settings.ts'
import { shiftedSays } from './shifted.ts'
import { spanSays } from './spans.ts'
import { stateSays } from './states.ts'
import { sumSays } from './sums.ts'
import { tallySays } from './tallies.ts'
import { trendSays } from './trends.ts'

type Says = (claim: string, evidence: string) => -1 | 0 | 1

const OF_STATEMENTS: Says[] = [
	comparedSays,
	insteadSays,
	dueSays,
	shiftedSays,
	permitSays,
	settingSays,
	tallySays,
	spanSays,
	movedSays,
	rateSays,
	trendSays,
	seasonSays,
	scoreSays,
	exchangeSays,
	stateSays,
	freeOfSays,
	sumSays,
	labelSays,
	scopeOf,
	exceptedSays,
	rankedSays,
	orderSays,
]

const TWO_PARTS = /[,;]\s|\b(?:and|und|et|y|e|и|ve)\b/u
/** "En" is "and" in Dutch, and "in" in French and Spanish. */
const isTwofold = (claim: string): boolean =>
	TWO_PARTS.test(claim) ||
	(/\ben\b/u.test(claim) && LANGUAGES[languageOf(tokenize(fold(claim).text).words)] === 'nl')

/** 1 holds, −1 does not, 0 unknown. A question, a supposition or hearsay tells nothing but what is answered in a chat. */
export function plainlySays(claim: string, evidence: string): -1 | 0 | 1 {
	if (frameOf(claim) !== 'said') return scopeOf(claim, evidence)
	const reply = replySays(claim, evidence)
	if (reply || frameOf(evidence) !== 'said') return reply || scopeOf(claim, evidence)
	for (const says of OF_STATEMENTS) {
		const said = says(claim, evidence)
		// Of a claim of two parts, one that does not hold is enough, and one that does is not.
		if (said) return said > 0 && isTwofold(claim) ? 0 : said
	}
	return 0
}

/** What only members may do is no supposition. */
function scopeOf(claim: string, evidence: string): -1 | 0 | 1 {
	const said = scopeSays(claim, evidence)
	return said && [claim, evidence].every((text) => frameOf(text.replaceAll(/\bmay\b/gi, 'can')) === 'said')
		? said
		: 0
}
