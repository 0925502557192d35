/** "The second largest" is not the largest, and who came third did not win. −1 or 0. */
import { fold } from '../text/fold.ts'

const ORDINAL = '(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\\d{1,2}(?:nd|rd|th)|next)'
const BEST = /\b(?:the )?((?:most|least) \p{L}+|\p{L}{3,}est|best|worst)\b/gu
const PLACED = new RegExp(
	`\\b(?:finish(?:ed|es)?|came|comes|placed|ended(?: up)?|was|ranked) (?:in |the )?(?:${ORDINAL}|last|runner-up)\\b(?! (?:to|of|day|week|month|year|time))`,
	'u',
)
const WON = /\b(?:won|wins|win|winner|champion|finished first|came first)\b/u
const DENIES =
	/\b(?:not|never|no|nobody|second|third|fourth|fifth|last|next|one of|among|\d+(?:st|nd|rd|th))\b|n't\b/
const LONGEST_UNITS = 200

export function rankedSays(claim: string, evidence: string): -1 | 0 {
	if (evidence.length > LONGEST_UNITS) return 0
	const [said, given] = [fold(claim).text, fold(evidence).text]
	// "After hydrogen" tells which is first.
	if (DENIES.test(said) || /\b(?:after|behind)\b/.test(given)) return 0
	if (PLACED.test(given) && WON.test(said) && !WON.test(given)) return -1
	for (const [, best] of said.matchAll(BEST)) {
		const there = [...given.matchAll(new RegExp(`(\\b${ORDINAL}[ -])?${best}\\b`, 'gu'))]
		if (there.length && there.every(([, ordinal]) => ordinal)) return -1
	}
	return 0
}
