/**
 * What the judge knows of words before it reads a text: how common they are, which are near in meaning, which are
 * opposites, synonyms, kinds of one another. English only; of other languages it knows the commonest words alone.
 */
import { loadWeights } from '../learned/arrays.ts'
import { weightsFile } from '../learned/files.ts'
import { hash } from './hash.ts'
import { firstFrom, placeIn } from './sorted.ts'
import { STOP_WORDS } from './stopwords.ts'

const weights = loadWeights(weightsFile('lexicon.bin'))
export const DIMENSIONS = weights.meta.dimensions as number
const hashes = weights.arrays.hashes as Uint32Array
const vectors = weights.arrays.vectors as Int8Array
const parents = weights.arrays.parents as Uint32Array
const antonyms = weights.arrays.antonyms as Uint32Array
const synonyms = weights.arrays.synonyms as Uint32Array
const kinds = weights.arrays.kinds as Uint32Array

/** Open addressing over the hashes: building it is the larger part of the load, and takes two milliseconds. */
const SLOTS = 1 << 17
const slots = new Int32Array(SLOTS).fill(-1)
for (let i = 0; i < hashes.length; i++) {
	let slot = hashes[i]! & (SLOTS - 1)
	while (slots[slot] !== -1) slot = (slot + 1) & (SLOTS - 1)
	slots[slot] = i
}

/** Words commoner than this carry no topic. */
export const FUNCTION_BELOW = 3
const RAREST = 8.5
const COMMONEST = 0.3

/** Place of a word in the lexicon by falling frequency, or -1. */
export function wordId(word: string): number {
	const wanted = hash(word)
	for (let slot = wanted & (SLOTS - 1); slots[slot] !== -1; slot = (slot + 1) & (SLOTS - 1)) {
		if (hashes[slots[slot]!] === wanted) return slots[slot]!
	}
	return -1
}

/** How much a word tells, about as its inverse document frequency in a large collection. */
export function rarity(word: string, id = wordId(word)): number {
	if (STOP_WORDS.has(word)) return COMMONEST
	if (id >= 0) return Math.min(RAREST, Math.max(COMMONEST, 0.85 * Math.log(id + 2) - 0.3))
	if (word.charCodeAt(0) >= 0x2e80) return 3
	return word.length <= 3 ? 4 : word.length === 4 ? 6 : RAREST
}

/** Cosine of two words' vectors, by id. */
export function closeness(a: number, b: number): number {
	if (a < 0 || b < 0) return 0
	let sum = 0
	const i = a * DIMENSIONS
	const j = b * DIMENSIONS
	for (let k = 0; k < DIMENSIONS; k++) sum += vectors[i + k]! * vectors[j + k]!
	return sum / norms[a]! / norms[b]!
}

const norms = new Float32Array(hashes.length)
for (let i = 0; i < norms.length; i++) {
	let square = 0
	for (let k = i * DIMENSIONS; k < (i + 1) * DIMENSIONS; k++) square += vectors[k]! * vectors[k]!
	norms[i] = Math.sqrt(square) || 1
}

/** Adds `weight` times the word's unit vector. */
export function addVector(into: Float32Array, id: number, weight: number): void {
	const scale = weight / norms[id]!
	for (let k = 0; k < DIMENSIONS; k++) into[k]! += scale * vectors[id * DIMENSIONS + k]!
}

/** Relations are sorted keys of two ids. */
const key = (a: number, b: number) => a * hashes.length + b
const pair = (a: number, b: number) => (a < b ? key(a, b) : key(b, a))
export const areAntonyms = (a: number, b: number): boolean => a >= 0 && b >= 0 && has(antonyms, pair(a, b))
export const areSynonyms = (a: number, b: number): boolean => a >= 0 && b >= 0 && has(synonyms, pair(a, b))
export const isKindOf = (word: number, kind: number): boolean =>
	word >= 0 && kind >= 0 && has(kinds, key(word, kind))
/** Two kinds of one thing: if it is the one, it is likely not the other. */
export const areSiblings = (a: number, b: number): boolean =>
	a >= 0 && b >= 0 && a !== b && parents[a] !== 0 && parents[a] === parents[b]

/** A kind of more words than this says little of them: things, people. */
const MOST_OF_KIND = 300
let counts: Uint16Array | undefined

/** Two of a kind that has few: a piano and a violin. */
export function areOfAKind(a: number, b: number): boolean {
	if (a < 0 || b < 0 || a === b) return false
	counts ??= kinds.reduce((all, one) => {
		all[one % hashes.length]!++
		return all
	}, new Uint16Array(hashes.length))
	const few = (kind: number) => counts![kind]! <= MOST_OF_KIND
	const others = new Set(kindsOf(b))
	return kindsOf(a).some((kind) => few(kind) && others.has(kind))
}

/** A word for a thing, as WordNet knows it; names of people are none. */
export const hasKinds = (word: number): boolean => word >= 0 && kindsOf(word).length > 0

function kindsOf(word: number): number[] {
	const list: number[] = []
	for (let k = firstFrom(kinds, key(word, 0)); kinds[k]! < key(word + 1, 0); k++)
		list.push(kinds[k]! % hashes.length)
	return list
}

const has = (sorted: Uint32Array, value: number): boolean => placeIn(sorted, value) >= 0
