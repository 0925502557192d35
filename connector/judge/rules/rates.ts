/** How often: "every day" is not "twice a week". 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'
import { NUMBER_WORDS } from './words.ts'

const PER_YEAR: Record<string, number> = { hour: 8_760, day: 365, week: 52, month: 12, quarter: 4, year: 1 }
const SINGLE: Record<string, number> = {
	hourly: 8_760,
	daily: 365,
	weekly: 52,
	fortnightly: 26,
	monthly: 12,
	quarterly: 4,
	yearly: 1,
	annually: 1,
	taglich: 365,
	wochentlich: 52,
	monatlich: 12,
	jahrlich: 1,
}
const NUMBER = '(\\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)'
const TIMES = new RegExp(
	`\\b(?:(once|twice|thrice)|${NUMBER} times) (?:a|an|per|each|every) (hour|day|week|month|quarter|year)\\b`,
	'g',
)
const TIMES_DAILY = new RegExp(
	`\\b(?:(once|twice|thrice)|${NUMBER} times) (daily|weekly|monthly|yearly)\\b`,
	'g',
)
const EVERY = new RegExp(
	`\\b(?:every|each) (?:(other|second)|${NUMBER})? ?(hour|day|week|month|quarter|year)s?\\b`,
	'g',
)
/** "Cleaned daily", not "daily sales". */
const ALONE = new RegExp(
	`\\b(${Object.keys(SINGLE).join('|')})\\b(?=\\s*(?:$|[.,;:)]|(?:and|at|from|between|in|on|with|by)\\b))`,
	'g',
)
const NAMED: Record<string, number> = { once: 1, twice: 2, thrice: 3 }
const BOUND = /\b(at least|at most|up to|more than|less than|no more|not|never|n't|only if|unless)\b|n't\b/
const NEAR = 0.02
/** The same rate verifies only what is said of the same. */
const MOST_SHARED = 0.7
const LONGEST_UNITS = 300

export function rateSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const [said, given] = [fold(claim).text, fold(evidence).text]
	const [asked, told] = [ratesIn(said), ratesIn(given)]
	if (asked.length !== 1 || told.length !== 1 || BOUND.test(said) || BOUND.test(given)) return 0
	const there = new Set(tokenize(given).stems)
	const own = tokenize(said).stems.filter(
		(stem) => stem.length > 3 && !/^(every|times|dai|week|month|year)/.test(stem),
	)
	const share = own.filter((stem) => there.has(stem)).length / (own.length || 1)
	if (Math.abs(asked[0]! - told[0]!) > NEAR * told[0]!) return share > 0 ? -1 : 0
	return share >= MOST_SHARED ? 1 : 0
}

const numberOf = (word: string | undefined): number =>
	word === undefined ? 1 : (NAMED[word] ?? NUMBER_WORDS.get(word) ?? Number(word))

/** In times a year; what is read as one form is not read as another. */
function ratesIn(text: string): number[] {
	let rest = text
	const found: number[] = []
	const read = (pattern: RegExp, rate: (match: RegExpExecArray) => number) => {
		for (const match of rest.matchAll(pattern)) found.push(rate(match))
		rest = rest.replace(pattern, ' ')
	}
	read(TIMES, ([, named, count, unit]) => numberOf(named ?? count) * PER_YEAR[unit!]!)
	read(TIMES_DAILY, ([, named, count, unit]) => numberOf(named ?? count) * SINGLE[unit!]!)
	read(EVERY, ([, other, count, unit]) => PER_YEAR[unit!]! / (other ? 2 : numberOf(count)))
	read(ALONE, ([word]) => SINGLE[word!]!)
	return [...new Set(found)]
}
