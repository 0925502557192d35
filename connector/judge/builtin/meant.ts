/**
 * What a text is about beside a query, whatever words they share. What is left on both sides once the shared words are
 * taken away tells most: "stop my subscription" and "stop motion" have only "stop" in common.
 */
import type { Document } from '../text/document.ts'
import { akin, loudnessOf, meaningOf, telling } from '../text/meanings.ts'
import type { Phrase } from '../text/phrase.ts'
import { dot } from '../text/similarity.ts'

export const MEANT = ['meant', 'meantBest', 'meantRest', 'meantSoft', 'meantLost'] as const

/** Bounds the work on one pair. */
const QUERY_WORDS = 40
const TEXT_WORDS = 160
const SENTENCES = 24

/** Read once for all candidates. */
export interface Asked {
	phrase: Phrase
	places: number[]
	unit: Float32Array
}

export function askedOf(phrase: Phrase): Asked {
	const places = telling(phrase).slice(0, QUERY_WORDS)
	return { phrase, places, unit: meaningOf(phrase, places) }
}

export function meantOf(asked: Asked, text: Phrase, document: Document): number[] {
	const places = telling(text)
	const left = asked.places.filter((i) => !has(text, asked.phrase, i))
	const leftThere = places.filter((j) => !has(asked.phrase, text, j))
	const whole = dot(asked.unit, meaningOf(text, places))
	const rest =
		left.length && leftThere.length
			? dot(meaningOf(asked.phrase, left), meaningOf(text, leftThere))
			: left.length || !asked.places.length
				? 0
				: 1
	return [
		whole,
		best(asked, text, document, places, whole),
		rest,
		soft(asked, left, text, leftThere),
		loud(asked.phrase, left) / (loud(asked.phrase, asked.places) || 1),
	]
}

const has = (there: Phrase, phrase: Phrase, i: number): boolean => there.places.has(phrase.stems[i]!)

const loud = ({ ids }: Phrase, places: readonly number[]): number =>
	places.reduce((sum, i) => sum + loudnessOf(ids[i]!), 0)

/** The sentence that comes nearest; of a text of one sentence, the text. */
function best(asked: Asked, text: Phrase, { sentences }: Document, places: number[], whole: number): number {
	if (sentences.length < 2) return whole
	let most = 0
	let from = 0
	let at = 0
	for (const { words } of sentences.slice(0, SENTENCES)) {
		const own: number[] = []
		while (at < places.length && places[at]! < from + words.length) own.push(places[at++]!)
		from += words.length
		if (own.length) most = Math.max(most, dot(asked.unit, meaningOf(text, own)))
	}
	return most
}

/** How near the text comes to each word of the query that it lacks, the loud ones first. */
function soft(asked: Asked, left: readonly number[], text: Phrase, there: readonly number[]): number {
	let sum = 0
	let total = 0
	const read = there.slice(0, TEXT_WORDS)
	for (const i of left) {
		const id = asked.phrase.ids[i]!
		let most = 0
		for (const j of read) most = Math.max(most, akin(id, text.ids[j]!))
		sum += loudnessOf(id) * most
		total += loudnessOf(id)
	}
	return total ? sum / total : 0
}
