/**
 * Rows made from rows: a query with its answer among texts of other sources that share words with it. What people ask
 * everyday has few words in common with what answers it, and many with what does not; collected rows hardly show that.
 */
import { FUNCTION, phraseOf } from '../../text/phrase.ts'
import { random, shuffle } from '../learn/random.ts'
import type { FindRow } from './data.ts'

const SEED = 99
const LONGEST_UNITS = 240
const MOST_BY_WORD = 60
const DRAWN = 6
const DECOYS = 2
const OTHERS = 2

const wordsOf = (text: string): string[] => {
	const { stems, marks } = phraseOf(text)
	return [...new Set(stems.filter((_, i) => !(marks[i]! & FUNCTION)))]
}

interface Text {
	text: string
	source: string
	words: ReadonlySet<string>
}

export function withDecoys(rows: readonly FindRow[]): FindRow[] {
	const next = random(SEED)
	const byWord = indexOf(rows)
	const drawn = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
	return rows.flatMap((row) => {
		const asked = wordsOf(row.query)
		const found = new Map<string, number>()
		for (let k = 0; k < DRAWN && asked.length; k++) {
			const list = byWord.get(drawn(asked))?.filter(({ source }) => source !== row.source)
			if (!list?.length) continue
			const { text, words } = drawn(list)
			found.set(text, asked.filter((word) => words.has(word)).length)
		}
		const decoys = [...found].sort((a, b) => b[1] - a[1]).slice(0, DECOYS)
		const answer = row.candidates.find(({ id }) => row.relevant.includes(id))
		if (!decoys.length || !answer) return []
		const others = shuffle(
			row.candidates.filter(({ id }) => !row.relevant.includes(id)),
			next,
		).slice(0, OTHERS)
		const candidates = [answer, ...decoys.map(([text], i) => ({ id: `decoy ${i}`, text })), ...others]
		return [{ ...row, candidates: shuffle(candidates, next), relevant: [answer.id] }]
	})
}

function indexOf(rows: readonly FindRow[]): Map<string, Text[]> {
	const byWord = new Map<string, Text[]>()
	const seen = new Set<string>()
	for (const { candidates, source } of rows)
		for (const { text } of candidates) {
			if (text.length > LONGEST_UNITS || seen.has(text)) continue
			seen.add(text)
			const words = new Set(wordsOf(text))
			for (const word of words) {
				const list = byWord.get(word) ?? []
				if (!list.length) byWord.set(word, list)
				if (list.length < MOST_BY_WORD) list.push({ text, source, words })
			}
		}
	return byWord
}
