/** The sentences of all evidence of one call, indexed by stem, so that 64 claims need not read 24,000 tokens each. */
import { type Document, read, type Sentence } from '../text/document.ts'
import { rarity } from '../text/lexicon.ts'
import { type Phrase, phrase } from '../text/phrase.ts'

export interface Passage {
	source: number
	document: Document
	sentence: Sentence
}

export interface Passages {
	list: Passage[]
	/** Passages by falling BM25 score for these words; at most `limit`, only those that share a word. */
	nearest(
		words: readonly string[],
		stems: readonly string[],
		limit: number,
	): { place: number; score: number }[]
	/** Weight of a word: how rare it is in general and among these passages. */
	weight(word: string, stem: string): number
	has(stem: string): boolean
	phrase(places: readonly number[]): Phrase
}

const K1 = 1.2
const B = 0.6

export function passages(evidence: readonly string[]): Passages {
	const list = evidence.flatMap((text, source) => {
		const document = read(text)
		return document.sentences.map((sentence) => ({ source, document, sentence }))
	})
	const postings = new Map<string, number[]>()
	let words = 0
	list.forEach(({ sentence }, place) => {
		words += sentence.stems.length
		for (const stem of sentence.stems) {
			const found = postings.get(stem)
			if (found) found.push(place)
			else postings.set(stem, [place])
		}
	})
	const mean = words / Math.max(1, list.length) || 1
	const weight = (word: string, stem: string) => {
		const n = Math.min(list.length, postings.get(stem)?.length ?? 0)
		const local = Math.log(1 + (list.length - n + 0.5) / (n + 0.5))
		const share = list.length / (list.length + 40)
		return (1 - share) * rarity(word) + share * local
	}
	const phrases = new Map<string, Phrase>()
	return {
		list,
		weight,
		has: (stem) => postings.has(stem),
		nearest(asked, stems, limit) {
			const scores = new Map<number, number>()
			const seen = new Set<string>()
			for (let i = 0; i < stems.length; i++) {
				const stem = stems[i]!
				const places = postings.get(stem)
				if (!places || seen.has(stem)) continue
				seen.add(stem)
				addScores(scores, places, weight(asked[i]!, stem), list, mean)
			}
			return topOf(scores, limit)
		},
		phrase(places) {
			const key = places.join()
			let made = phrases.get(key)
			if (!made) {
				const { document } = list[places[0]!]!
				made = phrase(
					document.source,
					document.folded.at,
					places.map((place) => list[place]!.sentence),
				)
				phrases.set(key, made)
			}
			return made
		},
	}
}

function addScores(
	scores: Map<number, number>,
	places: number[],
	weight: number,
	list: Passage[],
	mean: number,
): void {
	for (let i = 0; i < places.length; ) {
		const place = places[i]!
		let tf = 0
		while (places[i] === place) {
			tf++
			i++
		}
		const norm = K1 * (1 - B + (B * list[place]!.sentence.stems.length) / mean)
		scores.set(place, (scores.get(place) ?? 0) + (weight * tf * (K1 + 1)) / (tf + norm))
	}
}

/** The highest scores, earlier passages first among equals: one pass, a short list. */
function topOf(scores: ReadonlyMap<number, number>, limit: number): { place: number; score: number }[] {
	const top: { place: number; score: number }[] = []
	for (const [place, score] of scores) {
		const last = top[limit - 1]
		if (last && (score < last.score || (score === last.score && place > last.place))) continue
		let at = Math.min(top.length, limit - 1)
		while (
			at > 0 &&
			(score > top[at - 1]!.score || (score === top[at - 1]!.score && place < top[at - 1]!.place))
		)
			at--
		top.splice(at, 0, { place, score })
		top.length = Math.min(top.length, limit)
	}
	return top
}
