/** For every word of one phrase the best counterpart in another, and how good it is (1: the same word). */
import { areSiblings, areSynonyms, closeness, isKindOf } from './lexicon.ts'
import { FUNCTION, NAME, NUMBER, type Phrase } from './phrase.ts'

export interface Alignment {
	/** Strength of the counterpart of each word, 0 to 1. */
	strength: Float32Array
	/** Its place in the other phrase, or −1. */
	place: Int32Array
	/** The counterpart is the same word, by stem. */
	exact: Uint8Array
	/** Among the words without a counterpart: the closest one that is of the same class and thus excludes it. */
	rival: Float32Array
}

/** Bounds the work on one pair; what a phrase says beyond is left to the cheaper measures. */
const WORDS_COMPARED = 400
const SYNONYM = 0.9
const KIND = 0.8
const NEAR = 0.38

export function align(a: Phrase, b: Phrase): Alignment {
	const n = a.words.length
	const out: Alignment = {
		strength: new Float32Array(n),
		place: new Int32Array(n).fill(-1),
		exact: new Uint8Array(n),
		rival: new Float32Array(n),
	}
	const content: number[] = []
	for (let j = 0; j < b.words.length && content.length < WORDS_COMPARED; j++) {
		if (!(b.marks[j]! & FUNCTION) && !a.places.has(b.stems[j]!)) content.push(j)
	}
	for (let i = 0; i < n; i++) {
		const same = b.places.get(a.stems[i]!)
		if (same !== undefined) {
			out.strength[i] = 1
			out.place[i] = nearest(a, b, out, i, same)
			out.exact[i] = 1
		} else if (!(a.marks[i]! & FUNCTION)) soften(a, b, i, content, out)
	}
	return out
}

/** Of several places of one word in `b`, the one that follows the counterpart of the word before. */
function nearest(a: Phrase, b: Phrase, out: Alignment, i: number, first: number): number {
	if (i === 0 || out.place[i - 1]! < 0) return first
	const next = out.place[i - 1]! + 1
	return b.stems[next] === a.stems[i] ? next : first
}

function soften(a: Phrase, b: Phrase, i: number, content: readonly number[], out: Alignment): void {
	const number = a.marks[i]! & NUMBER
	for (const j of content) {
		if ((b.marks[j]! & NUMBER) !== number) continue
		const strength = number ? 0 : likeness(a, b, i, j)
		if (strength > out.strength[i]!) {
			out.strength[i] = strength
			out.place[i] = j
		}
		const rivals = areSiblings(a.ids[i]!, b.ids[j]!) && !areSynonyms(a.ids[i]!, b.ids[j]!)
		if (rivals) out.rival[i] = Math.max(out.rival[i]!, 0.5 + 0.5 * closeness(a.ids[i]!, b.ids[j]!))
	}
}

function likeness(a: Phrase, b: Phrase, i: number, j: number): number {
	const [x, y] = [a.ids[i]!, b.ids[j]!]
	if (x >= 0 && x === y) return 1
	let best = spelling(a.words[i]!, b.words[j]!)
	if (x < 0 || y < 0) return best
	const names = (a.marks[i]! | b.marks[j]!) & NAME
	const close = closeness(x, y)
	if (close > NEAR && !names) best = Math.max(best, 0.85 * close)
	if (areSynonyms(x, y)) return Math.max(best, SYNONYM)
	if (isKindOf(y, x)) return Math.max(best, KIND)
	return best
}

/** Shared beginning, or one word inside the other: inflection and compounds of any language. */
export function spelling(a: string, b: string): number {
	const shorter = Math.min(a.length, b.length)
	const longer = Math.max(a.length, b.length)
	if (shorter < 4) return 0
	let shared = 0
	while (shared < shorter && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
	if (shared >= 4 && shared >= 0.6 * longer) return 0.9 * (shared / longer)
	if (shorter >= 5 && (shorter === a.length ? b.includes(a) : a.includes(b))) return 0.7
	return 0
}
