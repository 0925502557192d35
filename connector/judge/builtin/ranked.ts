/** Several texts beside one query: how each compares with it, and how far it stands out from the others. */
import { align } from '../text/align.ts'
import { COMPARED, compare } from '../text/compare.ts'
import { type Document, read } from '../text/document.ts'
import { FUNCTION, type Phrase, whole } from '../text/phrase.ts'
import { dot } from '../text/similarity.ts'
import { askedOf, MEANT, meantOf } from './meant.ts'

const AMONG = ['bm25', 'share', 'soft', 'softBack', 'chars', 'meaning', 'sentence'] as const
export const RANKED = [...COMPARED, ...AMONG, ...AMONG.map((name) => `${name}.lead`)]
export const AMONG_ONLY = RANKED.slice(COMPARED.length)
/** As `find` reads them: with what they are about, and how that stands out. */
export const FOUND = [...RANKED, ...MEANT, ...MEANT.map((name) => `${name}.lead`)]

const K1 = 1.2
const B = 0.75

/** Names of tools and topics are often written together: WeatherTool, card_arrival. */
export const readName = (text: string): Document => read(text.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 '))

export function rankedFeatures(
	query: Phrase,
	texts: readonly Document[],
	phrases = texts.map(whole),
): Float32Array[] {
	const idf = localIdf(phrases)
	const mean = phrases.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, phrases.length) || 1
	const rows = phrases.map((text, i) => {
		const row = new Float32Array(RANKED.length)
		row.set(compare(query, text))
		row.set(amongOf(query, text, texts[i]!, idf, mean), COMPARED.length)
		return row
	})
	for (let k = 0; k < AMONG.length; k++) lead(rows, COMPARED.length + k, COMPARED.length + AMONG.length + k)
	return rows
}

export function foundFeatures(query: Phrase, texts: readonly Document[]): Float32Array[] {
	const asked = askedOf(query)
	const phrases = texts.map(whole)
	const rows = rankedFeatures(query, texts, phrases).map((ranked, i) => {
		const row = new Float32Array(FOUND.length)
		row.set(ranked)
		row.set(meantOf(asked, phrases[i]!, texts[i]!), RANKED.length)
		return row
	})
	for (let k = 0; k < MEANT.length; k++) lead(rows, RANKED.length + k, RANKED.length + MEANT.length + k)
	return rows
}

/** By how much a text leads the best of the others (or trails it). */
function lead(rows: readonly Float32Array[], from: number, to: number): void {
	let best = Number.NEGATIVE_INFINITY
	let second = Number.NEGATIVE_INFINITY
	for (const row of rows) {
		const value = row[from]!
		if (value > best) [best, second] = [value, best]
		else if (value > second) second = value
	}
	for (const row of rows) {
		const other = row[from] === best ? second : best
		row[to] = Number.isFinite(other) ? row[from]! - other : 0
	}
}

/** A word that every text has tells none apart; with few texts the general rarity speaks too. */
function localIdf(texts: readonly Phrase[]): (stem: string, weight: number) => number {
	const counts = new Map<string, number>()
	for (const text of texts)
		for (const stem of text.places.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1)
	const n = texts.length
	const top = Math.log(1 + n)
	return (stem, weight) =>
		weight *
		(0.15 +
			(0.85 * Math.log(1 + (n - (counts.get(stem) ?? 0) + 0.5) / ((counts.get(stem) ?? 0) + 0.5))) / top)
}

function amongOf(
	query: Phrase,
	text: Phrase,
	document: Document,
	idf: ReturnType<typeof localIdf>,
	mean: number,
): number[] {
	const there = align(query, text)
	const back = align(text, query)
	const counts = new Map<string, number>()
	for (const stem of text.stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
	const norm = K1 * (1 - B + (B * text.words.length) / mean)
	let bm25 = 0
	let ideal = 0
	let soft = 0
	let total = 0
	for (let i = 0; i < query.words.length; i++) {
		const weight = idf(query.stems[i]!, query.weights[i]!)
		const tf = counts.get(query.stems[i]!) ?? 0
		bm25 += (weight * tf * (K1 + 1)) / (tf + norm)
		ideal += weight * (K1 + 1)
		if (query.marks[i]! & FUNCTION) continue
		soft += weight * there.strength[i]!
		total += weight
	}
	let softBack = 0
	let totalBack = 0
	for (let j = 0; j < text.words.length; j++) {
		if (text.marks[j]! & FUNCTION) continue
		const weight = idf(text.stems[j]!, text.weights[j]!)
		softBack += weight * back.strength[j]!
		totalBack += weight
	}
	return [
		Math.log1p(bm25),
		ideal ? bm25 / ideal : 0,
		total ? soft / total : 0,
		totalBack ? softBack / totalBack : 0,
		dot(query.chars(), text.chars()),
		dot(query.meaning(), text.meaning()),
		bestSentence(query, document),
	]
}

/** The most of the query that one sentence of the text has. */
function bestSentence(query: Phrase, document: Document): number {
	let best = 0
	for (const { stems } of document.sentences) {
		let covered = 0
		for (const stem of new Set(stems)) {
			const place = query.places.get(stem)
			if (place !== undefined) covered += query.weights[place]!
		}
		best = Math.max(best, covered)
	}
	return query.total ? best / query.total : 0
}
