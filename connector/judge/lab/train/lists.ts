/**
 * What the encoder's two sides learn from: questions with one right text among others, from rows of `find` that are not
 * held out, and from the project's own scenes of `find`, `choice` and `score`. No text is kept, only places among all
 * texts.
 */
import { isEnglish } from '../../builtin/nearest.ts'
import { FUNCTION, phraseOf } from '../../text/phrase.ts'
import { random, shuffle } from '../learn/random.ts'
import type { List } from '../learn/sides.ts'
import { type FindRow, loadRows } from './data.ts'
import { HELD_OUT, NEVER_TRAINED } from './held-out.ts'

const SEED = 577
/** Collected rows are of few kinds: more of one, or as much of each, would teach that kind only. */
const MOST_OF_SOURCE = 600
const WEIGHT = { collected: 0.2, find: 1, choice: 0.3, score: 0.3 }
const OTHERS = 7
const DRAWN = 5
/** Of longer texts the encoder reads too little. */
const LONGEST_MEAN_UNITS = 300
const LONGEST_QUERY_UNITS = 400

export interface Taught {
	texts: string[]
	lists: List[]
}

export function listsFrom(data: string, scenes: string): Taught {
	const next = random(SEED)
	const places = new Map<string, number>()
	const placeOf = (text: string) => {
		if (!places.has(text)) places.set(text, places.size)
		return places.get(text)!
	}
	const listOf = (query: string, offered: readonly string[], weight: number): List[] =>
		isEnglish(phraseOf(query), query)
			? [{ asked: placeOf(query), offered: offered.map(placeOf), weight }]
			: []
	const found = loadRows(scenes, 'find', ['taught'])
	const lists = [
		...collected(data, next).flatMap((row) => listOf(row.query, amongOthers(row, next), WEIGHT.collected)),
		...found.flatMap((row) => listOf(row.query, unlike(row, found, next), WEIGHT.find)),
		...loadRows(scenes, 'choice', ['taught']).flatMap((row) =>
			listOf(row.context ?? row.question, rightFirst(row.options, row.answer), WEIGHT.choice),
		),
		...loadRows(scenes, 'score', ['taught']).flatMap(({ question, text, levels, gold }) =>
			listOf(
				`${question} ${text}`,
				rightFirst(levels, gold).map((level) => levelAs(question, level)),
				WEIGHT.score,
			),
		),
	]
	return { texts: [...places.keys()], lists }
}

function collected(data: string, next: () => number): FindRow[] {
	const rows = loadRows(data, 'find', ['train', 'train-2']).filter(
		({ source, query, candidates, relevant }) =>
			!HELD_OUT.find.includes(source) &&
			!NEVER_TRAINED.includes(source) &&
			relevant.length > 0 &&
			query.length <= LONGEST_QUERY_UNITS &&
			candidates.reduce((sum, { text }) => sum + text.length, 0) <= LONGEST_MEAN_UNITS * candidates.length,
	)
	const bySource = Map.groupBy(rows, ({ source }) => source)
	return [...bySource.values()].flatMap((own) => shuffle([...own], next).slice(0, MOST_OF_SOURCE))
}

const rightOf = ({ candidates, relevant }: FindRow): string =>
	candidates.find(({ id }) => relevant.includes(id))!.text
const wrongOf = ({ candidates, relevant }: FindRow): string[] =>
	candidates.flatMap(({ id, text }) => (relevant.includes(id) ? [] : [text]))

const amongOthers = (row: FindRow, next: () => number): string[] => [
	rightOf(row),
	...shuffle(wrongOf(row), next).slice(0, OTHERS),
]

/**
 * Authors write wrong candidates that share words with the query in order to mislead. Learned from, they would teach
 * that shared words speak against a text, so they are left out, and some of the author's other candidates stand in.
 */
function unlike(row: FindRow, rows: readonly FindRow[], next: () => number): string[] {
	const asked = new Set(wordsOf(row.query))
	const left = wrongOf(row).filter((text) => !wordsOf(text).some((word) => asked.has(word)))
	const own = rows.filter(({ source }) => source === row.source)
	const drawn = Array.from({ length: DRAWN }, () => {
		const { candidates } = own[Math.floor(next() * own.length)]!
		return candidates[Math.floor(next() * candidates.length)]!.text
	})
	return [rightOf(row), ...left, ...drawn]
}

function wordsOf(text: string): string[] {
	const { stems, marks } = phraseOf(text)
	return stems.filter((_, i) => !(marks[i]! & FUNCTION))
}

const rightFirst = (texts: readonly string[], right: number): string[] => [
	texts[right]!,
	...texts.filter((_, i) => i !== right),
]

/** A level as the answer to its question. */
const levelAs = (question: string, level: string): string => `${question.replace(/[?？\s]+$/u, '')}: ${level}`
