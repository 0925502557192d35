/**
 * What plain reading of a short text picks of the options of a question, or −1: states ("sold out"), what is no longer so
 * ("from Basic to Pro"), the least and the most of what numbers say, and where somebody went last.
 */
import { clausesOf } from '../text/clauses.ts'
import { fold } from '../text/fold.ts'
import { type Asked, hasWord } from './asked.ts'
import { extremeOf } from './extremes.ts'
import { headerOf } from './headers.ts'
import { latestOf } from './latest.ts'
import { statusOf } from './status.ts'
import { deniedIn, supersededOf } from './superseded.ts'
import { winnerOf } from './winners.ts'

const LONGEST_UNITS = 600
const LONGEST_OPTION_UNITS = 60
const ARTICLE = /^(?:the|a|an|der|die|das|le|la|el|il|de|het) |[.!]$/g

export function pickOf(question: string, options: readonly string[], context: string): number {
	const asked = askedOf(question, options, context)
	if (!asked) return -1
	for (const rule of [headerOf, extremeOf, statusOf, latestOf, supersededOf]) {
		const place = rule(asked)
		if (place >= 0) return place
	}
	return winnerOf(question, options, context)
}

/** Options that a short text names only to deny them. */
export function deniedOf(question: string, options: readonly string[], context: string): boolean[] {
	const asked = askedOf(question, options, context)
	return asked ? deniedIn(asked) : options.map(() => false)
}

function askedOf(question: string, options: readonly string[], context: string): Asked | null {
	if (options.length < 2 || Math.max(context.length, question.length) > LONGEST_UNITS) return null
	if (options.some(({ length }) => length > LONGEST_OPTION_UNITS)) return null
	const folded = options.map((option) => fold(option).text.replace(ARTICLE, '').trim())
	const text = fold(context).text
	const clauses = clausesOf(text)
	return {
		...{ question: fold(question).text.trim(), options: folded, text, clauses },
		named: folded.map((option) => clauses.flatMap((clause, i) => (hasWord(clause, option) ? [i] : []))),
	}
}
