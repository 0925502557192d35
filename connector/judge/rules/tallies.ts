/** How many of all: "12 tests, 10 passed" and "21 of 24 pupils", held against "all", "some", "none" or a number. */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'
import { NUMBER_WORDS } from './words.ts'

const WORDS = [...NUMBER_WORDS.keys()].filter((word) => /^[a-z]+$/.test(word)).join('|')
const NUMBER = `(\\d+|${WORDS})`
const GOOD = 'passed|succeeded|successful|ok|completed'
const BAD = 'failed|failures?|errors?|broken'
const OUTCOME = new RegExp(`\\b${NUMBER} (?:\\w+ )?(${GOOD}|${BAD})\\b`, 'g')
const TOTAL = new RegExp(`\\b${NUMBER} (\\p{L}+?)s?(?: run| in total)?[,:;]`, 'u')
const PART = new RegExp(`\\b${NUMBER} (?:out )?of (?:the |our |all )?${NUMBER} (\\p{L}+)`, 'u')
const PART_BEHIND = new RegExp(`^of (?:the |our |all )?${NUMBER} (\\p{L}+),? ${NUMBER} `, 'u')
const HOW_MANY = new RegExp(
	`^(?:(all|every|each|no|none of|not all|some|several|most|half|${NUMBER})\\b ?)?(?:of )?(?:the |our |its )?(?:${NUMBER} )?(\\p{L}+) `,
	'u',
)
const DENIED = /\b(not|never|no|none|nobody)\b|n't\b/
const IS_GOOD = /\b(pass|passed|succeed|succeeded|successful|ok|completed|went well)\b/
const IS_BAD = /\b(fail|fails|failed|broken|went wrong)\b/
const SMALL =
	/^(all|every|each|none|not|do|does|did|some|several|most|half|the|our|its|of|in|on|at|a|an|is|are|was|were|has|have|\d+)$/
const LONGEST_UNITS = 300
const SEVERAL = 2

const numberIn = (word: string): number => NUMBER_WORDS.get(word) ?? Number(word)
const bare = (word: string): string => tokenize(word).stems[0] ?? ''

export function tallySays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS || /\b(rest|others|remaining|(?:every|each) one)\b/i.test(evidence))
		return 0
	const said = fold(claim).text.replace(/[.!\s]+$/, '')
	const given = fold(evidence).text.trim()
	const [, much, , all, noun] = HOW_MANY.exec(`${said} `) ?? []
	if (!noun) return 0
	const counted = outcomes(said, given) ?? share(said, given, noun)
	if (!counted || (all && numberIn(all) !== counted.total)) return 0
	const { count, total } = counted
	const plural = noun.endsWith('s')
	const holds = amountHolds(much ?? (plural && said.startsWith('the ') ? 'all' : ''), count, total)
	return holds === null ? 0 : holds ? 1 : -1
}

function amountHolds(much: string, count: number, total: number): boolean | null {
	if (/^(all|every|each)$/.test(much)) return count === total
	if (/^(no|none of)$/.test(much)) return count === 0
	if (much === 'not all') return count < total
	if (much === 'some') return count > 0
	if (much === 'several') return count >= SEVERAL
	if (much === 'most') return count > total / 2
	if (much === 'half') return count === total / 2
	return much ? numberIn(much) === count : null
}

interface Counted {
	count: number
	total: number
}

/** "17 checks: 15 passed, 2 failed", of which one may be left out. */
function outcomes(said: string, given: string): Counted | null {
	const [good, bad] = [IS_GOOD.test(said), IS_BAD.test(said)]
	const found = [...given.matchAll(OUTCOME)]
	if (good === bad || !found.length || DENIED.test(said.replace(/^(no|none of|not all)\b/, ''))) return null
	const counts = { good: -1, bad: -1 }
	for (const [, number, what] of found)
		counts[new RegExp(`^(?:${GOOD})$`).test(what!) ? 'good' : 'bad'] = numberIn(number!)
	const first = TOTAL.exec(given)
	const total =
		first && !new RegExp(`^(?:${GOOD}|${BAD})$`).test(first[2]!)
			? numberIn(first[1]!)
			: counts.good + counts.bad
	if (total < 1 || (counts.good < 0 && counts.bad < 0)) return null
	const { good: passed, bad: failed } = counts
	const count = good ? (passed >= 0 ? passed : total - failed) : failed >= 0 ? failed : total - passed
	return count >= 0 && count <= total ? { count, total } : null
}

/** "21 of 24 pupils handed in the homework", of a claim that says the same of pupils. */
function share(said: string, given: string, noun: string): Counted | null {
	const part = PART.exec(given)
	const behind = PART_BEHIND.exec(given)
	const [count, total, what] = part
		? [part[1], part[2], part[3]]
		: behind
			? [behind[3], behind[1], behind[2]]
			: []
	if (!what || bare(what) !== bare(noun) || DENIED.test(given)) return null
	const denied = DENIED.test(said.replace(/^(no|none of|not all)\b/, ''))
	const there = new Set(tokenize(given).stems)
	const rest = tokenize(said).stems.filter(
		(stem) => stem !== bare(noun) && !NUMBER_WORDS.has(stem) && !SMALL.test(stem),
	)
	const known = rest.filter((stem) => there.has(stem)).length
	return rest.length && known >= rest.length - 1 && known > 0
		? { count: denied ? numberIn(total!) - numberIn(count!) : numberIn(count!), total: numberIn(total!) }
		: null
}
