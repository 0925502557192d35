/**
 * Rubrics that ask for a side: levels that run from bad to good, rude to polite, calm to urgent, no to yes. The levels
 * say which scale it is and in which direction it runs; the text's words say where it stands. Where they say nothing,
 * the answer is even.
 */
import { read } from '../text/document.ts'
import { leaning, SCALES, unspacedLeaning } from '../text/polarity.ts'

export interface Placed {
	/** From 0, the first level, to 1, the last. */
	place: number
	/** Words that said so. */
	words: number
}

/** What levels are called, beside the scales' own words. */
const LEVELS: Record<string, { high: RegExp; low: RegExp }> = {
	good: {
		high: /^(good|great|excellent|positive?|positiv[aoe]?|positivo|positif|happy|satisfied|polite|friendly|clean|5 stars|very satisfied|zufrieden|tevreden|satisfait|bueno|buono|bom|довол|положит|memnun|olumlu|积极|满意|満足|like|best|yes, good)/,
		low: /^(bad|poor|terrible|awful|negative?|negativ[aoe]?|negativo|negatif|unhappy|dissatisfied|rude|unfriendly|dirty|1 star|worst|unzufrieden|ontevreden|insatisfait|malo|cattivo|ruim|недовол|отрицат|memnun degil|olumsuz|消极|不满|不満|dislike|sad)/,
	},
	angry: { high: /^(angry|furious|very angry|upset|sad)/, low: /^(calm|relaxed|happy|not angry)/ },
	urgent: { high: /^(very urgent|urgent|critical|high)/, low: /^(not urgent|low|no hurry)/ },
	formal: { high: /^(very formal|formal)/, low: /^(informal|casual)/ },
	sure: { high: /^(certain|sure|very sure|confident)/, low: /^(unsure|uncertain|not sure|doubtful)/ },
	dear: { high: /^(expensive|costly|high price)/, low: /^(cheap|inexpensive)/ },
	safe: { high: /^(safe|harmless)/, low: /^(dangerous|unsafe|harmful)/ },
	severe: { high: /^(severe|extreme|serious|high)/, low: /^(mild|light|minor|none)/ },
	yes: { high: /^(yes|ja|oui|si|sim|agree|true)\b/, low: /^(no|nein|non|nao|nee|disagree|false)\b/ },
}

/** The scale that the first and the last level name, and whether it runs upwards. */
export function scaleOf(levels: readonly string[], question: string): { name: string; up: boolean } | null {
	const folded = [levels[0]!, levels.at(-1)!].map((level) => read(level).folded.text.trim())
	const [first, last] = folded as [string, string]
	for (const [name, { high, low }] of Object.entries(LEVELS)) {
		if (name === 'yes' && !/agree|accept|like|want|confirm/i.test(question)) continue
		if (low.test(first) && high.test(last)) return { name, up: true }
		if (high.test(first) && low.test(last)) return { name, up: false }
	}
	return null
}

/** Null where no word of the text speaks. */
export function placeOn(name: string, text: string): Placed | null {
	const words = read(text).sentences.flatMap((sentence) => sentence.words)
	const scale = name === 'angry' ? 'good' : name
	const spaced = leaning(words, scale in SCALES ? scale : 'good')
	const found = scale === 'good' && !spaced.words ? unspacedLeaning(text) : spaced
	if (!found.words) return null
	const value = name === 'angry' ? -found.value : found.value
	return { place: (value + 1) / 2, words: found.words }
}

const NEUTRAL = /^(neutral|neither|mixed|none|calm|okay|gemischt|neutre|neutro|neutraal|中性|中立|нейтральн)/

/** Options that take sides ("positive", "negative", perhaps "neutral"): the share of each, or null where they do not. */
export function sidesOf(options: readonly string[], text: string): number[] | null {
	const { high, low } = LEVELS.good!
	const sides = options.map((option) => {
		const folded = read(option).folded.text.trim()
		if (NEUTRAL.test(folded)) return 0
		if (high.test(folded)) return 1
		return low.test(folded) || /^(angry|furious|upset|annoyed)/.test(folded) ? -1 : Number.NaN
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

const STEEP = 0.7
/** Of an option that takes no side. */
const STRAY = 0.08
/** A text without a word of praise or blame is neutral rather than not. */
const QUIET = 2
