/**
 * Levels of no known scale ("mild … hot", "empty … packed"): on which side the words of a text lie, between what the
 * first and the last level mean. Right four times of five where no praise is asked for, so it is said with little certainty.
 */
import { fold } from '../text/fold.ts'
import { closeness } from '../text/lexicon.ts'
import { akin, loudnessOf, telling } from '../text/meanings.ts'
import { type Phrase, phraseOf } from '../text/phrase.ts'
import { plainLabel } from './labels.ts'

/** Bounds the work on one text. */
const WORDS_READ = 60
/** Near an end: who tells at all tells of what is not in the middle. */
const FAR = 0.4
/** "A bit", "rather": less far. */
const SOMEWHAT = 0.2
const LESS =
	/\b(?:a bit|a little|somewhat|slightly|rather|fairly|quite|kind of|sort of|moderately|medium|average|so-so|okay|ok|etwas|ziemlich|un peu|plutot|assez|un poco|algo|bastante|abbastanza|een beetje|немного|biraz)\b/u
/** Words near an end count more than in proportion. */
const SHARPNESS = 1.5

/** From 0, the first level, to 1, the last; null where the ends or the text have no word with a meaning of its own. */
export function projected(levels: readonly string[], text: string): number | null {
	const ends = [levels[0]!, levels.at(-1)!].map((level) => phraseOf(plainLabel(level)))
	const [low, high] = ends.map((phrase) => idsOf(phrase).slice(0, WORDS_READ))
	if (!low?.length || !high?.length) return null
	const words = idsOf(phraseOf(text)).slice(0, WORDS_READ)
	const sum = words.reduce((all, id) => {
		const side = nearest(id, high) - nearest(id, low)
		return all + loudnessOf(id) * Math.sign(side) * Math.abs(side) ** SHARPNESS
	}, 0)
	return sum ? 0.5 + Math.sign(sum) * (LESS.test(fold(text).text) ? SOMEWHAT : FAR) : null
}

const idsOf = (phrase: Phrase): number[] => telling(phrase).map((i) => phrase.ids[i]!)

/** What words are used beside, and how they are defined, tell about as much. */
const nearest = (id: number, others: readonly number[]): number =>
	others.reduce(
		(most, other) => Math.max(most, closeness(id, other) + akin(id, other)),
		Number.NEGATIVE_INFINITY,
	)
