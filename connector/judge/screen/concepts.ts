/** Reads a sentence as a chain of concepts: what it asks, not about what. */
import { classOf, IDEOGRAPH } from '../text/chars.ts'
import { FUNCTION_BELOW, rarity } from '../text/lexicon.ts'
import { CONCEPTS, UNSPACED } from './words.ts'

export const CONCEPT_NAMES = Object.keys(CONCEPTS)

const whole = new Map<string, number>()
const prefixes = new Map<string, number>()
for (const [place, list] of Object.values(CONCEPTS).entries()) {
	for (const entry of list.split(' ')) {
		const [map, key] = entry.endsWith('*') ? [prefixes, entry.slice(0, -1)] : [whole, entry]
		if (!map.has(key)) map.set(key, place)
	}
}
const unspaced = Object.entries(UNSPACED).flatMap(([name, list]) =>
	list.split(' ').map((entry) => [entry, CONCEPT_NAMES.indexOf(name)] as const),
)

const SHORTEST_PREFIX = 3
const known = new Map<string, number>()
const CACHE_LIMIT = 20_000

/** The concept a word stands for, or −1. */
export function conceptOf(word: string): number {
	let found = known.get(word)
	if (found !== undefined) return found
	found = whole.get(word) ?? -1
	for (let length = word.length; found < 0 && length >= SHORTEST_PREFIX; length--) {
		found = prefixes.get(word.slice(0, length)) ?? -1
	}
	if (known.size > CACHE_LIMIT) known.clear()
	known.set(word, found)
	return found
}

/** Concepts of a text without spaces between words, in order of their place. */
export function unspacedConcepts(text: string): number[] {
	let ideographs = 0
	for (let i = 0; i < text.length && ideographs < 2; i++)
		if (classOf(text.charCodeAt(i)) === IDEOGRAPH) ideographs++
	if (ideographs < 2) return []
	return unspaced
		.map(([entry, concept]) => ({ at: text.indexOf(entry), concept }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at)
		.map(({ concept }) => concept)
}

/** Short name of a word for the chain: its concept, itself where it is a function word, else a blank. */
export function roleOf(word: string): string {
	const concept = conceptOf(word)
	if (concept >= 0) return `<${CONCEPT_NAMES[concept]}>`
	return rarity(word) < FUNCTION_BELOW ? word : '_'
}
