/**
 * How alike two phrases are, by the words that neither shares with the other: content words are paired one to one (the
 * same word, a synonym, the same spelling but for its ending), and what is left over on both sides is compared.
 */
import { spelling } from './align.ts'
import { addVector, areSynonyms, closeness, DIMENSIONS, isKindOf } from './lexicon.ts'
import { FUNCTION, NUMBER, type Phrase } from './phrase.ts'
import { dot } from './similarity.ts'

export const LIKENESS = [
	'dice',
	'diceNear',
	'diceSoft',
	'diceFlat',
	'diceLess',
	'near',
	'bigrams',
	'content',
	'leftA',
	'leftB',
	'leftBoth',
	'leftMeaning',
	'leftSoft',
	'leftSoftBack',
	'leftMost',
	'leftNumbers',
] as const

/** Bounds the work on one pair. */
const WORDS_PAIRED = 120
const LEAST_WEIGHT = 2.2
/** From here on two words count as one. */
const PAIRED = 0.6
const SAME_MEANING = 0.85
const KIND = 0.7

export function likeness(a: Phrase, b: Phrase): number[] {
	const [own, other] = [contentOf(a), contentOf(b)]
	const { left, leftOther, shared, near, pairs } = paired(a, b, own, other)
	const [weightA, weightB] = [weightOf(a, own), weightOf(b, other)]
	const total = weightA + weightB || 1
	const [restA, restB] = [weightOf(a, left), weightOf(b, leftOther)]
	const [there, back] = [reached(a, left, b, leftOther), reached(b, leftOther, a, left)]
	const numbers = (phrase: Phrase, list: readonly number[]) =>
		list.reduce((count, i) => count + (phrase.marks[i]! & NUMBER ? 1 : 0), 0)
	let meaning = left.length || leftOther.length ? -0.2 : 1
	if (left.length && leftOther.length) meaning = dot(meaningOf(a, left), meaningOf(b, leftOther))
	return [
		shared / total,
		(shared + near) / total,
		(shared + near + there.sum + back.sum) / total,
		(2 * pairs) / Math.max(1, own.length + other.length),
		Math.min(1 - restA / (weightA || 1), 1 - restB / (weightB || 1)),
		near / total,
		bigrams(a, b),
		dot(meaningOf(a, own), meaningOf(b, other)),
		restA / (weightA || 1),
		restB / (weightB || 1),
		Math.min(left.length, leftOther.length),
		meaning,
		restA ? there.sum / restA : 1,
		restB ? back.sum / restB : 1,
		Math.max(there.most, back.most),
		Math.min(numbers(a, left), numbers(b, leftOther)),
	]
}

function contentOf({ words, marks, weights }: Phrase): number[] {
	const list: number[] = []
	for (let i = 0; i < words.length && list.length < WORDS_PAIRED; i++)
		if (!(marks[i]! & FUNCTION) && weights[i]! > LEAST_WEIGHT) list.push(i)
	return list
}

const weightOf = ({ weights }: Phrase, list: readonly number[]): number =>
	list.reduce((sum, i) => sum + weights[i]!, 0)

/** One to one: first the same words, then the likest of the rest. Weights shared are those of both sides. */
function paired(a: Phrase, b: Phrase, own: readonly number[], other: readonly number[]) {
	const taken = new Set<number>()
	const rest: number[] = []
	let shared = 0
	for (const i of own) {
		const same = other.find((j) => !taken.has(j) && a.stems[i] === b.stems[j])
		if (same === undefined) rest.push(i)
		else {
			taken.add(same)
			shared += a.weights[i]! + b.weights[same]!
		}
	}
	const left: number[] = []
	let near = 0
	for (const i of rest) {
		let best = 0
		let place = -1
		for (const j of other) {
			if (taken.has(j)) continue
			const strength = agreement(a, i, b, j)
			if (strength > best) [best, place] = [strength, j]
		}
		if (best < PAIRED) left.push(i)
		else {
			taken.add(place)
			near += best * (a.weights[i]! + b.weights[place]!)
		}
	}
	const leftOther = other.filter((j) => !taken.has(j))
	return { left, leftOther, shared, near, pairs: own.length - left.length }
}

/** How far two different words say the same, by spelling and by the lexicon's relations; not by their vectors. */
export function agreement(a: Phrase, i: number, b: Phrase, j: number): number {
	const [x, y] = [a.ids[i]!, b.ids[j]!]
	const spelled = x >= 0 && x === y ? 1 : spelling(a.words[i]!, b.words[j]!)
	if (areSynonyms(x, y)) return Math.max(spelled, SAME_MEANING)
	return isKindOf(x, y) || isKindOf(y, x) ? Math.max(spelled, KIND) : spelled
}

function meaningOf({ ids, weights }: Phrase, list: readonly number[]): Float32Array {
	const mean = new Float32Array(DIMENSIONS)
	for (const i of list) if (ids[i]! >= 0) addVector(mean, ids[i]!, weights[i]!)
	let square = 0
	for (const x of mean) square += x * x
	if (square) for (let k = 0; k < DIMENSIONS; k++) mean[k]! /= Math.sqrt(square)
	return mean
}

/** How near the words left over here come to some word left over there. */
function reached(a: Phrase, own: readonly number[], b: Phrase, other: readonly number[]) {
	let sum = 0
	let most = 0
	for (const i of own) {
		let top = 0
		for (const j of other) top = Math.max(top, closeness(a.ids[i]!, b.ids[j]!))
		sum += a.weights[i]! * top * top
		most = Math.max(most, top)
	}
	return { sum, most }
}

function bigrams(a: Phrase, b: Phrase): number {
	const of = ({ stems }: Phrase) => new Set(stems.slice(1).map((stem, i) => `${stems[i]} ${stem}`))
	const [own, other] = [of(a), of(b)]
	let both = 0
	for (const bigram of own) if (other.has(bigram)) both++
	return (2 * both) / Math.max(1, own.size + other.size)
}
