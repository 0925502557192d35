/**
 * Rubrics that ask for a side: where the words of a text stand on a scale that its levels name (see labels.ts). Where
 * they say nothing, the answer is even.
 */
import { read } from '../text/document.ts'
import { moodOf } from '../text/moods.ts'
import { type Leaning, leaning, SCALES, unspacedLeaning } from '../text/polarity.ts'
import { sideOfGood } from './labels.ts'

export interface Placed {
	/** From 0, the first level, to 1, the last. */
	place: number
	/** Words that said so. */
	words: number
}

/** Scales that lean on praise and blame as well, and how far: an insult is rude, a disaster severe. */
const ALSO_GOOD: Record<string, number> = { angry: -1, polite: 0.5, severe: -0.6, fast: 0.4 }

/** Null where no word of the text speaks. */
export function placeOn(name: string, text: string, rated = true): Placed | null {
	const words = read(text).sentences.flatMap((sentence) => sentence.words)
	const found = name !== 'good' && name in SCALES ? withMood(leaning(words, name), words, name) : SILENT
	const share = name === 'good' ? 0 : (ALSO_GOOD[name] ?? 0)
	const spaced = leaning(words, 'good', rated)
	const plain = spaced.words ? spaced : unspacedLeaning(text)
	const good = rated ? withMood(plain, words, 'good') : plain
	if (name === 'good') return placed(good.value, good.words)
	if (!share || !good.words) return placed(found.value, found.words)
	const value = found.words ? found.value + 0.5 * share * good.value : share * good.value
	return placed(Math.max(-1, Math.min(1, value)), found.words + good.words)
}

const SILENT: Leaning = { value: 0, words: 0 }
/** A phrase that says it outright counts as this many words, and no more surely than this. */
const OUTRIGHT_WORDS = 2
const OUTRIGHT = 0.8
/** What is only guessed from what a text tells of. */
const GUESSED = 0.5
/** "Okay, nothing special": what is left of praise and blame beside it. */
const MIDDLING = 0.3
const FEW_WORDS = 2

function withMood(plain: Leaning, words: readonly string[], name: string): Leaning {
	const { said, guessed, middling } = moodOf(words, name)
	if (said.words) {
		const loud = OUTRIGHT_WORDS * said.words
		const value = (plain.value * plain.words + OUTRIGHT * said.value * loud) / (plain.words + loud)
		return { value, words: plain.words + said.words }
	}
	if (middling && name === 'good' && plain.words <= FEW_WORDS)
		return { value: MIDDLING * plain.value, words: Math.max(1, plain.words) }
	if (plain.words) return plain
	return { value: GUESSED * guessed.value, words: guessed.words }
}

/** People who rate use the ends of a scale. */
const TO_THE_ENDS = 0.75

const placed = (value: number, words: number): Placed | null =>
	words ? { place: (Math.sign(value) * Math.abs(value) ** TO_THE_ENDS + 1) / 2, words } : null

/** A text without a word of either side: the level called neutral gets twice the share of another. Null: there is none. */
export function neutralOf(levels: readonly string[]): number[] | null {
	const weights = levels.map((level) => (NEUTRAL.test(read(level).folded.text.trim()) ? QUIET : 1))
	const sum = weights.reduce((a, b) => a + b, 0)
	return sum > levels.length ? weights.map((weight) => weight / sum) : null
}

const NEUTRAL = /^(neutral|neither|mixed|none|calm|okay|gemischt|neutre|neutro|neutraal|中性|中立|нейтральн)/

/** Options that take sides ("positive", "negative", perhaps "neutral"): the share of each, or null where they do not. */
export function sidesOf(options: readonly string[], text: string): number[] | null {
	const sides = options.map((option) => {
		const folded = read(option).folded.text.trim()
		if (NEUTRAL.test(folded)) return 0
		return sideOfGood(folded) || (ALSO_BAD.test(folded) ? -1 : ALSO_FINE.test(folded) ? 1 : Number.NaN)
	})
	if (!sides.includes(1) || !sides.includes(-1)) return null
	const placed = placeOn('good', text)
	const value = placed ? 2 * placed.place - 1 : 0
	const weights = sides.map((side) => {
		if (Number.isNaN(side)) return placed ? STRAY : 1
		if (!placed) return side ? 1 : QUIET
		return Math.exp(-STEEP * (side - value) ** 2) + STRAY
	})
	const sum = weights.reduce((a, b) => a + b, 0)
	return weights.map((weight) => weight / sum)
}

const ALSO_BAD =
	/^(angry|furious|upset|annoyed|frustrated|disappointed|worried|wutend|argerlich|enojad|triste|traurig|arrabbiat|boos|зл)/
const ALSO_FINE = /^(grateful|thankful|pleased|glad|excited|joyful|dankbar|froh|agradecid|contento|blij|рад)/
const STEEP = 0.7
/** Of an option that takes no side. */
const STRAY = 0.08
/** A text without a word of praise or blame is neutral rather than not. */
const QUIET = 2
