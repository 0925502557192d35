/**
 * Everyday notions, each with the words and phrases that name it: "step down" and "resign", "Geld zurück" and "refund".
 * A line is `name: English | … || other languages | …`. `*` ends the beginning of a word, `_` is one or two words
 * of any kind, `~` marks a notion as a topic. Entries of other languages count only in texts that are not English.
 */
import { mayBeForeign } from './languages.ts'
import { LIFE } from './notions-life.ts'
import { MOODS } from './notions-moods.ts'
import { PROGRAMS } from './notions-programs.ts'
import { SERVICE } from './notions-service.ts'
import { THINGS } from './notions-things.ts'
import { STOP_WORDS } from './stopwords.ts'

export interface Notion {
	/** Place in `NOTIONS`. */
	id: number
	/** First word and the one after the last. */
	from: number
	to: number
}

interface Entry {
	id: number
	words: string[]
}

interface Index {
	whole: Map<string, Entry[]>
	starts: Map<string, Entry[]>
}

/** What a text is about rather than what a phrase says: an election is not a mayor. */
const topics = new Set<number>()
export const isTopic = (id: number): boolean => topics.has(id)

export const NOTIONS: string[] = []
const english = emptyIndex()
const foreign = emptyIndex()
/** Beginnings are looked up by their first letters. */
const START_UNITS = 3

for (const line of `${SERVICE}${LIFE}${THINGS}${PROGRAMS}${MOODS}`.split('\n')) {
	const [head, rest] = line.split(': ')
	if (!head || !rest) continue
	const topic = head.startsWith('~')
	const id = NOTIONS.push(topic ? head.slice(1) : head) - 1
	if (topic) topics.add(id)
	rest.split('||').forEach((part, i) => {
		for (const entry of part.split('|')) add(i ? foreign : english, id, entry.trim())
	})
}

function emptyIndex(): Index {
	return { whole: new Map(), starts: new Map() }
}

function add({ whole, starts }: Index, id: number, entry: string): void {
	const words = entry.split(' ')
	const [first] = words
	if (!first || (words.length === 1 && (STOP_WORDS.has(first) || first.length < START_UNITS))) return
	const start = first.endsWith('*')
	if (start && first.length <= START_UNITS) return
	const key = start ? first.slice(0, START_UNITS) : first
	const map = start ? starts : whole
	const list = map.get(key)
	if (list) list.push({ id, words })
	else map.set(key, [{ id, words }])
}

/** A text of everyday length; what follows is not read. */
const WORDS_READ = 400

/** Notions in a text by place; of several of one kind all, so that a passage can be named. */
export function notionsIn(given: readonly string[]): Notion[] {
	// The one letter of the ten languages that folding leaves.
	const words = given.map((word) => (word.includes('ł') ? word.replaceAll('ł', 'l') : word))
	const indexes = mayBeForeign(given) ? [foreign, english] : [english]
	const found: Notion[] = []
	const length = Math.min(words.length, WORDS_READ)
	for (let from = 0; from < length; from++)
		for (const { whole, starts } of indexes) {
			const word = words[from]!
			for (const list of [whole.get(word), starts.get(word.slice(0, START_UNITS))])
				for (const { id, words: entry } of list ?? []) {
					const to = matched(words, from, entry)
					if (to) found.push({ id, from, to })
				}
		}
	return found
}

const fits = (word: string, wanted: string): boolean =>
	wanted.endsWith('*') ? word.startsWith(wanted.slice(0, -1)) : word === wanted

/** The place behind the entry, or 0. A gap is one or two words, or none where the next fits at once. */
function matched(words: readonly string[], from: number, entry: readonly string[]): number {
	let at = from
	for (let k = 0; k < entry.length; k++) {
		if (entry[k] !== '_') {
			if (at >= words.length || !fits(words[at]!, entry[k]!)) return 0
			at++
			continue
		}
		const next = entry[k + 1]
		if (next === undefined) return at < words.length ? at + 1 : 0
		const gap = [0, 1, 2].find((skip) => at + skip < words.length && fits(words[at + skip]!, next))
		if (gap === undefined) return 0
		at += gap
	}
	return at
}

/** Of notions that overlap the longest, by place: "not allowed" is not "allowed". One phrase may name two. */
export function longest(notions: readonly Notion[]): Notion[] {
	const kept: Notion[] = []
	for (const one of notions.toSorted((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from))
		if (
			kept.every(({ from, to }) => one.from >= to || from >= one.to || (one.from === from && one.to === to))
		)
			kept.push(one)
	return kept.sort((a, b) => a.from - b.from)
}
