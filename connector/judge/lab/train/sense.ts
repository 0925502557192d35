/** What whole sentences tell of an injection: the network of ../../learned/sense.ts, on the sentences that the detectors find worst. */
import { sensed } from '../../builtin/sensed.ts'
import type { Sense } from '../../learned/sense.ts'
import { type Detectors, injectionFeatures, readForScreen } from '../../screen/reading.ts'
import { SECTION_UNITS } from '../../screen/sections.ts'
import { random, shuffle } from '../learn/random.ts'
import { type Sensed, trainSense } from '../learn/sense.ts'
import type { ScreenRow } from './data.ts'
import { weightsOf } from './fit.ts'
import { foldOf } from './screen.ts'

/** Of each source and label: reading takes up to 40 milliseconds a text. */
const MOST_TEXTS = 120
/** No text counts for more than so many. */
const MOST_WEIGHT = 4
const SEED = 7

export function trainSenseOf(rows: readonly ScreenRow[], detectors: Detectors): Sense {
	const counts = new Map<string, number>()
	const chosen = shuffle([...rows], random(SEED)).filter(({ source, injection }) => {
		const key = `${injection} ${source}`
		counts.set(key, (counts.get(key) ?? 0) + 1)
		return counts.get(key)! <= MOST_TEXTS
	})
	const texts = chosen.flatMap(({ text, injection, source }) => {
		const reading = readForScreen(text.slice(0, SECTION_UNITS))
		const read = sensed(reading, injectionFeatures(reading, detectors).margins)
		return read ? [{ whole: read.beginning, sentences: read.worst, y: injection, fold: foldOf(source) }] : []
	})
	const weights = weightsOf(texts, true)
	return trainSense(
		texts.map(
			({ whole, sentences, y }, i): Sensed => ({
				whole,
				sentences,
				label: y,
				weight: Math.min(MOST_WEIGHT, weights[i]!),
			}),
		),
	)
}
