/**
 * What phrases and notions say of a side where single words do not: "stay away" and "finger weg" blame, who wants money
 * back is not satisfied, and what has time is not urgent. A denial before them takes them away.
 */
import { longest, NOTIONS, type Notion, notionsIn } from './notions.ts'
import { type Leaning, NEGATIONS } from './polarity.ts'

/** Phrases that say it outright. */
const OUTRIGHT: Record<string, [high: string, low: string]> = {
	good: ['praise', 'blame'],
	urgent: ['urgentx', 'norush'],
}
/** Notions that let a reader guess the side. */
const GUESSED: Record<string, [high: string, low: string]> = {
	good: [
		'like recommendx grateful',
		'dislike refund returngoods complaint broken late wrongsize overcharge problem angry steal hurt noise dirty slow waiting',
	],
	urgent: ['', ''],
}
const MIDDLING = NOTIONS.indexOf('middling')
const REACH_WORDS = 3

const idsOf = (names: string): Set<number> => new Set(names.split(' ').map((name) => NOTIONS.indexOf(name)))
const sides = (lists: Record<string, [string, string]>) =>
	new Map(Object.entries(lists).map(([name, both]) => [name, both.map(idsOf)] as const))
const outright = sides(OUTRIGHT)
const guessed = sides(GUESSED)

export interface Mood {
	said: Leaning
	guessed: Leaning
	/** "Nothing special": neither side. */
	middling: boolean
}

export function moodOf(words: readonly string[], name: string): Mood {
	const notions = longest(notionsIn(words)).filter(({ from }) => !isDenied(words, from))
	return {
		said: among(notions, outright.get(name)),
		guessed: among(notions, guessed.get(name)),
		middling: notions.some(({ id }) => id === MIDDLING),
	}
}

const isDenied = (words: readonly string[], from: number): boolean =>
	// "Nobody came. Never again.": a phrase that denies is not denied by the words before it.
	!NEGATIONS.has(words[from]!) &&
	words.slice(Math.max(0, from - REACH_WORDS), from).some((word) => NEGATIONS.has(word))

/** Places of one phrase count once, whatever it names. */
function among(notions: readonly Notion[], ends: readonly ReadonlySet<number>[] | undefined): Leaning {
	const [high, low] = (ends ?? []).map(
		(ids) => new Set(notions.flatMap(({ id, from }) => (ids.has(id) ? [from] : []))),
	)
	const words = (high?.size ?? 0) + (low?.size ?? 0)
	return { value: words ? (high!.size - low!.size) / words : 0, words }
}
