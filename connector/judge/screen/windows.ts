/**
 * What the injection model reads of one sentence: hashed n-grams of its words, of its chain of concepts, and counts
 * that say what kind of sentence it is. Every feature is an index below `FEATURES` (hashed) or a place in `COUNTS`.
 */
import type { Sentence } from '../text/document.ts'
import { mix } from '../text/hash.ts'
import { CONCEPT_NAMES, conceptOf, roleOf, unspacedConcepts } from './concepts.ts'

export const FEATURES = 1 << 17
const CHAIN_LONGEST = 4
const LONGEST_WINDOW_WORDS = 120

export const KINDS = { chain: 1, word: 2, pair: 3, chars: 4, count: 5 } as const

/** Hashed features of a sentence, without repeats, sorted. */
export function windowFeatures(sentence: Pick<Sentence, 'words' | 'stems' | 'text' | 'starts'>): Uint32Array {
	const found = new Set<number>()
	const words = sentence.words.slice(0, LONGEST_WINDOW_WORDS)
	const chain = words.map(roleOf)
	for (const concept of unspacedConcepts(sentence.text)) chain.push(`<${CONCEPT_NAMES[concept]}>`)
	const roles = ['^', ...chain, '$']
	for (let i = 0; i < roles.length; i++) {
		let h = start(KINDS.chain)
		for (let n = 1; n <= CHAIN_LONGEST && i + n <= roles.length; n++) {
			h = add(h, roles[i + n - 1]!)
			found.add(place(h))
		}
	}
	pairsOfConcepts(words, found)
	for (let i = 0; i < words.length; i++) {
		const stem = sentence.stems[i]!
		found.add(place(add(start(KINDS.word), stem)))
		if (i) found.add(place(add(add(start(KINDS.pair), sentence.stems[i - 1]!), stem)))
		chars(words[i]!, found)
	}
	return Uint32Array.from(found).sort()
}

/** Which concepts stand together in the sentence, wherever they stand. */
function pairsOfConcepts(words: readonly string[], found: Set<number>): void {
	const concepts = new Set<number>()
	for (const word of words) {
		const concept = conceptOf(word)
		if (concept >= 0) concepts.add(concept)
	}
	const list = [...concepts].sort((a, b) => a - b)
	for (let i = 0; i < list.length; i++) {
		for (let j = i + 1; j < list.length; j++) found.add(place(start(KINDS.count) + list[i]! * 64 + list[j]!))
	}
}

function chars(word: string, found: Set<number>): void {
	if (word.length < 3) return
	const padded = ` ${word} `
	for (let i = 0; i + 4 <= padded.length; i++) {
		let h = start(KINDS.chars)
		for (let k = i; k < i + 4; k++) h = Math.imul(h ^ padded.charCodeAt(k), 0x01000193)
		found.add(place(h))
	}
}

const start = (kind: number) => Math.imul(kind, 0x9e3779b1) | 0
const place = (h: number) => mix(h) & (FEATURES - 1)

function add(h: number, word: string): number {
	let sum = h
	for (let i = 0; i < word.length; i++) sum = Math.imul(sum ^ word.charCodeAt(i), 0x01000193)
	return Math.imul(sum ^ 0x1f, 0x01000193)
}
