/**
 * Reads an answer: leniently where it stands (servers without structured output wrap it in prose or fences), strictly in
 * what counts: only entries after the call's code, with a number that was asked and a letter that was offered.
 */
import { LETTERS } from './prompt.ts'

export interface Token {
	token: string
	logprob: number
	top_logprobs?: { token: string; logprob: number }[]
}

export interface Reply {
	text: string
	/** Null: the server gives no log-probabilities. */
	tokens: readonly Token[] | null
}

export interface Answer {
	/** Of the alternatives; they sum to 1. */
	shares: number[]
	/** Numbers of lines of the material, as named. */
	lines: number[]
}

export interface Expected {
	code: string
	items: number
	alternatives: number
	lines: ReadonlySet<number>
}

/** Under this share the server spoke, but not to the question. */
const LEAST_MASS = 0.05
/** Of a letter without a probability of its own. */
const NAMED_SHARE = 0.75
/** Models state 100 percent too easily. */
const MOST_STATED = 0.98

/** By the item’s index. An item that is missing, or that is answered twice unlike, is left out. */
export function readReply({ text, tokens }: Reply, expected: Expected): Map<number, Answer> {
	const joined = tokens?.map(({ token }) => token).join('') ?? ''
	const measured = joined.includes(expected.code)
	const source = measured ? joined : text
	const from = source.lastIndexOf(expected.code)
	const found = new Map<number, Answer>()
	if (from < 0) return found
	const letters = new Map<number, number>()
	const starts = measured ? startsOf(tokens!) : []
	for (const match of source.slice(from).matchAll(/\{[^{}]*\}/g)) {
		const entry = entryOf(match[0], expected)
		if (!entry) continue
		const { item, letter, percent, lines } = entry
		const before = letters.get(item)
		if (before !== undefined && before !== letter) found.delete(item)
		if (before !== undefined) continue
		letters.set(item, letter)
		const key = measured ? /"answer"\s*:\s*"/.exec(match[0]) : null
		const token = key ? tokens![tokenAt(starts, from + match.index + key.index + key[0].length)] : undefined
		const shares =
			(token && sharesOf(token, expected.alternatives)) ?? spread(letter, percent, expected.alternatives)
		found.set(item, { shares, lines })
	}
	return found
}

function entryOf(json: string, { items, alternatives, lines }: Expected) {
	let value: unknown
	try {
		value = JSON.parse(json)
	} catch {
		return null
	}
	if (typeof value !== 'object' || value === null) return null
	const { n, answer, percent, lines: named } = value as Record<string, unknown>
	const item = typeof n === 'number' && Number.isInteger(n) ? n - 1 : -1
	const letter = typeof answer === 'string' && answer.length === 1 ? LETTERS.indexOf(answer) : -1
	if (item < 0 || item >= items || letter < 0 || letter >= alternatives) return null
	const stated = typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent / 100 : null
	const known = Array.isArray(named) ? named.filter((one): one is number => lines.has(one)) : []
	return { item, letter, percent: stated, lines: [...new Set(known)] }
}

/** The letter’s own probability as stated, the rest for the others alike. */
function spread(letter: number, stated: number | null, count: number): number[] {
	const share = Math.min(MOST_STATED, Math.max(stated ?? NAMED_SHARE, 1 / count))
	return Array.from({ length: count }, (_, i) => (i === letter ? share : (1 - share) / (count - 1)))
}

function startsOf(tokens: readonly Token[]): number[] {
	let at = 0
	return tokens.map(({ token }) => {
		const start = at
		at += token.length
		return start
	})
}

/** The token that holds the unit at `place`. */
function tokenAt(starts: readonly number[], place: number): number {
	let low = 0
	let high = starts.length - 1
	while (low < high) {
		const middle = (low + high + 1) >> 1
		if (starts[middle]! <= place) low = middle
		else high = middle - 1
	}
	return low
}

/** Sums the spellings of each letter (`A`, ` A`, `"A`, `A"`) and scales to 1; null where hardly any is a letter. */
function sharesOf(said: Token, count: number): number[] | null {
	const mass = new Array<number>(count).fill(0)
	for (const { token, logprob } of said.top_logprobs?.length ? said.top_logprobs : [said]) {
		const letter = letterOf(token)
		if (letter >= 0 && letter < count && Number.isFinite(logprob)) mass[letter]! += Math.exp(logprob)
	}
	const sum = mass.reduce((a, b) => a + b, 0)
	if (sum < LEAST_MASS) return null
	// A letter that is not among the alternatives returned is less likely than the least of them.
	const floor = Math.min(...mass.filter((p) => p > 0), 0.01) * 0.1
	const filled = mass.map((p) => p || floor)
	const total = filled.reduce((a, b) => a + b, 0)
	return filled.map((p) => p / total)
}

function letterOf(token: string): number {
	let letter = -1
	for (const char of token) {
		if (' \t\n.):(,{}*"\'`▁Ġ'.includes(char)) continue
		const place = LETTERS.indexOf(char)
		if (place < 0 || letter >= 0) return -1
		letter = place
	}
	return letter
}
