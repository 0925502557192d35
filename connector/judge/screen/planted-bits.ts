/** What a sentence holds of the lists in planted-words.ts, as bits: each list, and what two words near each other say. */
import type { Sentence } from '../text/document.ts'
import { PLANTED, UNSPACED } from './planted-words.ts'

const LISTS = Object.keys(PLANTED)
export const BIT = Object.fromEntries(
	[...LISTS, 'conceals', 'sendsAway', 'isFor', 'isOwned', 'forbids'].map((name, i) => [name, 1 << i]),
) as Record<string, number>

const whole = new Map<string, number>()
const prefixes = new Map<string, number>()
for (const [name, list] of Object.entries(PLANTED))
	for (const entry of list.split(' ')) {
		const [map, key] = entry.endsWith('*') ? [prefixes, entry.slice(0, -1)] : [whole, entry]
		map.set(key, (map.get(key) ?? 0) | BIT[name]!)
	}
const SHORTEST_PREFIX = 2
const LONGEST_PREFIX = Math.max(...[...prefixes.keys()].map((key) => key.length))
const unspaced = Object.entries(UNSPACED).flatMap(([name, list]) =>
	list.split(' ').map((entry) => [entry, BIT[name]!] as const),
)
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const FOR = new Set(
	'to for an fur dear hey attention any whichever a al all au aux pour para per voor aan do dla для the icin'.split(
		' ',
	),
)
/** Of languages that write words together: "Sprachassistenten". */
const COMPOUND = /^\p{L}{3,}(?:assistent(?:en|in|innen|er)?|agenten?|programme?|modelle?|roboter|bots?)$/u
/** They say so behind what is not to be done: "erwähnen Sie dies nicht". */
const NEGATED_BEHIND = new Set(['nicht', 'niet'])
const ADDRESS = /@|https?:|\bwww\.|\.(?:example|com|net|org|io)\b/
const NEAR_WORDS = 4
const CACHE_LIMIT = 20_000
const known = new Map<string, number>()

export function bitsOf({ words, text }: Sentence): number {
	let all = WITHOUT_SPACES.test(text) ? unspacedBits(text) : 0
	const last = {
		negation: Number.NaN,
		machine: Number.NaN,
		must: Number.NaN,
		for: Number.NaN,
		tell: Number.NaN,
	}
	words.forEach((word, i) => {
		const bits = bitsOfWord(word)
		all |= bits
		if (bits & BIT.negation!) {
			last.negation = i
			// "The assistant must not": what is forbidden, not ordered.
			if (i - last.must <= 1 && last.must - last.machine <= NEAR_WORDS) all |= BIT.forbids!
		}
		if (bits & BIT.hide! || (bits & BIT.tell! && i - last.negation < NEAR_WORDS)) all |= BIT.conceals!
		if (bits & BIT.tell!) last.tell = i
		if (NEGATED_BEHIND.has(word) && i - last.tell <= NEAR_WORDS) all |= BIT.conceals!
		if (FOR.has(word)) last.for = i
		if (bits & (BIT.machine! | BIT.program!)) {
			last.machine = i
			if (i - last.for < NEAR_WORDS) all |= BIT.isFor!
			if (i > 0 && bitsOfWord(words[i - 1]!) & BIT.owner!) all |= BIT.isOwned!
		}
		if (bits & BIT.must!) last.must = i
	})
	if (all & BIT.send! && (all & BIT.asset! || ADDRESS.test(text))) all |= BIT.sendsAway!
	return all
}

function unspacedBits(text: string): number {
	let bits = 0
	for (const [entry, bit] of unspaced) if (text.includes(entry)) bits |= bit
	if (bits & BIT.hide! || (bits & BIT.negation! && bits & BIT.tell!)) bits |= BIT.conceals!
	return bits
}

function bitsOfWord(word: string): number {
	const cached = known.get(word)
	if (cached !== undefined) return cached
	let bits = whole.get(word) ?? 0
	for (let length = Math.min(word.length, LONGEST_PREFIX); length >= SHORTEST_PREFIX; length--)
		bits |= prefixes.get(word.slice(0, length)) ?? 0
	if (bits === 0 && COMPOUND.test(word)) bits = BIT.machine!
	if (known.size > CACHE_LIMIT) known.clear()
	known.set(word, bits)
	return bits
}
