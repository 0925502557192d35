/**
 * States of which a thing is in one at a time: "on its way" and "arrived", "bezahlt" and "offen".
 * A line is `kind/state: English | … || other languages | …`. With `!` a thing that is not in the one state is in the
 * other. `*` ends the beginning of a word; `>` stands before what only a passage is read for. Entries of other languages
 * count only in texts that are not English.
 */
import { languageOf } from './languages.ts'
import { NAME, NEGATION, type Phrase } from './phrase.ts'
import { STATES } from './state-list.ts'

interface State {
	kind: number
	/** Of that kind. */
	state: number
	words: string[]
	foreign: boolean
	/** Not read in a claim. */
	passageOnly: boolean
}

export interface Found extends State {
	from: number
	to: number
}

const kinds: string[] = []
const byStart = new Map<string, State[]>()
/** Entries are looked up by their first letters. */
const START_UNITS = 2

let states = 0
for (const line of STATES.split('\n')) {
	const [name, rest] = line.split(': ')
	if (!name || !rest) continue
	const kind = name.split('/')[0]!
	if (!kinds.includes(kind)) kinds.push(kind)
	const state = states++
	rest.split(' || ').forEach((part, i) => {
		for (const entry of part.split(' | ')) {
			const words = entry.replace('>', '').split(' ')
			const key = words[0]!.slice(0, START_UNITS)
			const of = { kind: kinds.indexOf(kind), state, words, foreign: i > 0, passageOnly: entry[0] === '>' }
			byStart.set(key, [...(byStart.get(key) ?? []), of])
		}
	})
}

/** Whether what is not in one state of this kind is in the other. */
export const isEither = ({ kind }: Found): boolean => kinds[kind]!.endsWith('!')

/** Also French "ne … plus", which the learned models read as two common words. */
export const isNegation = (phrase: Phrase, i: number): boolean =>
	(phrase.marks[i]! & NEGATION) !== 0 || isNoLonger(phrase, i)

export const isNoLonger = ({ words }: Phrase, i: number): boolean =>
	words[i] === 'plus' &&
	words.slice(Math.max(0, i - NE_REACH_WORDS), i).some((word) => word === 'ne' || word.startsWith("n'"))

/** "n'est toujours plus" */
const NE_REACH_WORDS = 3

/** Of states that overlap the longest. */
/** `beside`: words of the same language, as one phrase may be too short to tell it. */
export function statesIn({ words, marks }: Phrase, beside: readonly string[] = []): Found[] {
	const foreign = languageOf([...words, ...beside]) > 0
	const found: Found[] = []
	for (let from = 0; from < words.length; from++)
		for (const state of byStart.get(words[from]!.slice(0, START_UNITS)) ?? []) {
			if (state.foreign && !foreign) continue
			const to = from + state.words.length
			if (to > words.length || isTitle(marks, from)) continue
			if (state.words.every((word, k) => fits(words[from + k]!, word))) found.push({ ...state, from, to })
		}
	return found.filter(
		(one) =>
			!found.some((other) => other.from <= one.from && other.to >= one.to && lengthOf(other) > lengthOf(one)),
	)
}

/** Two words with capitals: a name of a book or a firm. */
const isTitle = (marks: Phrase['marks'], at: number): boolean =>
	(marks[at]! & NAME & ((marks[at - 1] ?? 0) | (marks[at + 1] ?? 0))) !== 0

const lengthOf = ({ from, to }: Found): number => to - from

const fits = (word: string, wanted: string): boolean =>
	wanted.endsWith('*') ? word.startsWith(wanted.slice(0, -1)) : word === wanted
