/**
 * What the injection models read of one sentence, as hashed features in three views: its concepts and their order, its
 * words, its characters. The views fail on different kinds of text, which is why they are kept apart.
 */
import type { Sentence } from '../text/document.ts'
import { mix } from '../text/hash.ts'
import { CONCEPT_NAMES, conceptOf, roleOf, unspacedConcepts } from './concepts.ts'

export const VIEWS = ['concepts', 'chains', 'words', 'chars'] as const
export type View = (typeof VIEWS)[number]
export const VIEW_SIZE: Record<View, number> = {
	concepts: 1 << 11,
	chains: 1 << 16,
	words: 1 << 17,
	chars: 1 << 16,
}

const CHAIN_LONGEST = 4
const LONGEST_WINDOW_WORDS = 120

export type Read = Pick<Sentence, 'words' | 'stems' | 'text'>

export function windowViews(sentence: Read): Record<View, Uint32Array> {
	const words = sentence.words.slice(0, LONGEST_WINDOW_WORDS)
	const stems = sentence.stems.slice(0, LONGEST_WINDOW_WORDS)
	const foreign = unspacedConcepts(sentence.text)
	return {
		concepts: conceptView(words, foreign),
		chains: chainView(words, foreign),
		words: wordView(stems),
		chars: charView(words),
	}
}

/** Which concepts stand together in the sentence, wherever they stand. */
function conceptView(words: readonly string[], foreign: readonly number[]): Uint32Array {
	const concepts = new Set(foreign)
	for (const word of words) {
		const concept = conceptOf(word)
		if (concept >= 0) concepts.add(concept)
	}
	const list = [...concepts].sort((a, b) => a - b)
	const found: number[] = []
	for (let i = 0; i < list.length; i++)
		for (let j = i; j < list.length; j++) found.push(list[i]! * 32 + list[j]!)
	return Uint32Array.from(found)
}

function chainView(words: readonly string[], foreign: readonly number[]): Uint32Array {
	const roles = ['^', ...words.map(roleOf), ...foreign.map((concept) => `<${CONCEPT_NAMES[concept]}>`), '$']
	const found = new Set<number>()
	for (let i = 0; i < roles.length; i++) {
		let h = 0x811c9dc5
		for (let n = 0; n < CHAIN_LONGEST && i + n < roles.length; n++) {
			h = add(h, roles[i + n]!)
			found.add(mix(h) & (VIEW_SIZE.chains - 1))
		}
	}
	return Uint32Array.from(found)
}

function wordView(stems: readonly string[]): Uint32Array {
	const found = new Set<number>()
	for (let i = 0; i < stems.length; i++) {
		const one = add(0x811c9dc5, stems[i]!)
		found.add(mix(one) & (VIEW_SIZE.words - 1))
		if (i + 1 < stems.length) found.add(mix(add(one, stems[i + 1]!)) & (VIEW_SIZE.words - 1))
	}
	return Uint32Array.from(found)
}

function charView(words: readonly string[]): Uint32Array {
	const found = new Set<number>()
	for (const word of words) {
		const padded = ` ${word} `
		for (let i = 0; i + 4 <= padded.length; i++) {
			let h = 0x811c9dc5
			for (let k = i; k < i + 4; k++) h = Math.imul(h ^ padded.charCodeAt(k), 0x01000193)
			found.add(mix(h) & (VIEW_SIZE.chars - 1))
		}
	}
	return Uint32Array.from(found)
}

function add(h: number, word: string): number {
	let sum = h
	for (let i = 0; i < word.length; i++) sum = Math.imul(sum ^ word.charCodeAt(i), 0x01000193)
	return Math.imul(sum ^ 0x1f, 0x01000193)
}
