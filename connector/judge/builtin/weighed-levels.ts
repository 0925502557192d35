/**
 * Levels of a rubric beside a short text, each weighed by what speaks for it: where praise and blame or the words' meaning
 * place the text, how far it goes, and what words, notions and praise it has in common with the level.
 */
import { softmax } from '../learned/trees.ts'
import { degreesOf, EXTREME, MILD, partIn, shareIn, sideOfAmount } from '../text/degrees.ts'
import { read } from '../text/document.ts'
import { fold } from '../text/fold.ts'
import { notionsIn } from '../text/notions.ts'
import { FUNCTION, type Phrase, phraseOf } from '../text/phrase.ts'
import { leaning } from '../text/polarity.ts'
import { type Scale, scaleOf } from './labels.ts'
import { projected } from './projected.ts'
import { placeOn } from './scale.ts'

/** Of longer texts, and of levels that are described, single words tell the wrong side as often. */
const LONGEST_UNITS = 600
const LONGEST_NAME = 60
/** More words of praise than so many make it no surer. */
const MOST_WORDS = 3

/** What the text alone says: squared distances, or how near to the middle a level is. */
const OF_THE_PLACE = ['place', 'side', 'between', 'slight', 'whole', 'middle'] as const
/** What text and level have in common. */
const OF_THE_LEVEL = ['mild', 'extreme', 'shared', 'praise', 'notions'] as const
const WEIGHED = [...OF_THE_PLACE, ...OF_THE_LEVEL]

/** Fitted on the 840 rows of four authors that are taught; see ../lab/README.md. */
const WORTH: Record<(typeof WEIGHED)[number], number> = {
	place: 1.12,
	side: 0.57,
	between: 1.18,
	slight: 0.99,
	whole: -0.64,
	middle: -0.05,
	mild: 2.0,
	extreme: 0.63,
	shared: 1.6,
	praise: 0.77,
	notions: 1.1,
}

/** Shares of the levels; null where nothing speaks for one of them, or the text or a level is too long. */
export function amongLevels(question: string, levels: readonly string[], context: string): number[] | null {
	if (context.length > LONGEST_UNITS || levels.some(({ length }) => length > LONGEST_NAME)) return null
	const rows = levelRows(question, levels, context)
	const silent = WEIGHED.every((name, k) => name === 'middle' || rows.every((row) => row[k] === rows[0]![k]))
	if (silent) return null
	return softmax(rows.map((row) => WEIGHED.reduce((sum, name, k) => sum + WORTH[name] * row[k]!, 0)))
}

/** Of an amount, where the share that the text gives lies among the levels. */
export function bySharing(levels: readonly string[], context: string): number[] | null {
	const labels = levels.map((level) => fold(level).text)
	const up = sideOfAmount(labels[0]!, labels.at(-1)!)
	if (!up || context.length > LONGEST_UNITS) return null
	// "Half the roof is gone" is no half of the damage: words count where levels are parts as well.
	const share = shareIn(
		fold(context).text,
		labels.slice(1, -1).some((label) => PART.test(label)),
	)
	if (share === null) return null
	const spread = placesOf(labels, up).map((place) => Math.exp(-(((place - share) / SPREAD) ** 2) / 2) + LEAST)
	const sum = spread.reduce((all, one) => all + one, 0)
	return spread.map((one) => one / sum)
}

/** From nothing to everything: the share that a label names, or else its place among the others. */
const placesOf = (labels: readonly string[], up: number): number[] =>
	labels.map((label, i) => {
		const even = i / (labels.length - 1)
		const inner = i > 0 && i < labels.length - 1
		return (inner ? partIn(label) : null) ?? (up > 0 ? even : 1 - even)
	})

const SPREAD = 0.15
const LEAST = 1e-4
const PART =
	/\b(?:half\w*|quarters?|thirds?|most|part\w*|some|halb\w*|halfte|moitie|mitad|meta|metade|helft\w*|половин\p{L}*|yari\w*)\b/u

/** In the order of `WEIGHED`, a row for each level. */
export function levelRows(question: string, levels: readonly string[], context: string): number[][] {
	const folded = fold(context).text
	const [between, slight, whole] = degreesOf(folded)
	const scale = scaleOf(levels, question)
	const { place, words } = placeOf(scale, context)
	// A known scale has its own words: where they are silent, what others mean tells nothing of it.
	const side = scale ? null : projected(levels, context)
	const own = termsOf(context)
	const terms = levels.map(termsOf)
	return levels.map((level, i) => {
		const x = i / (levels.length - 1)
		const near = (at: number | null) => (at === null ? 0 : -((x - at) ** 2))
		const middle = -Math.abs(2 * x - 1)
		const label = fold(level).text
		return [
			near(place) * Math.sqrt(Math.min(MOST_WORDS, words)),
			near(side),
			between * middle,
			slight * middle,
			whole * middle,
			middle,
			slight && MILD.test(label) ? 1 : 0,
			whole && EXTREME.test(label) ? 1 : 0,
			// "Neither good nor bad" names the ends to deny them.
			between && Math.abs(2 * x - 1) === 1 ? 0 : sharedWith(own.phrase, terms[i]!.phrase, terms),
			own.praise * terms[i]!.praise,
			terms[i]!.notions.some((id) => own.notions.includes(id)) ? 1 : 0,
		]
	})
}

function placeOf(scale: Scale | null, context: string): { place: number | null; words: number } {
	const placed = scale && placeOn(scale.name, context)
	if (!placed) return { place: null, words: 0 }
	return { place: scale.up ? placed.place : 1 - placed.place, words: placed.words }
}

interface Terms {
	phrase: Phrase
	praise: number
	notions: number[]
}

function termsOf(text: string): Terms {
	const phrase = phraseOf(text)
	const words = read(text).sentences.flatMap((sentence) => sentence.words)
	return { phrase, praise: leaning(words, 'good').value, notions: notionsIn(words).map(({ id }) => id) }
}

/** Of the label's words that no other level has: the share that the text has, rare words first. */
function sharedWith(text: Phrase, { stems, marks, weights }: Phrase, all: readonly Terms[]): number {
	const own = stems
		.map((stem, i) => ({ stem, i }))
		.filter(({ stem, i }) => !(marks[i]! & FUNCTION) && levelsWith(stem, all) === 1)
	const weigh = (list: typeof own) => list.reduce((sum, { i }) => sum + weights[i]!, 0)
	return weigh(own.filter(({ stem }) => text.places.has(stem))) / (weigh(own) || 1)
}

const levelsWith = (stem: string, all: readonly Terms[]): number =>
	all.filter(({ phrase }) => phrase.places.has(stem)).length
