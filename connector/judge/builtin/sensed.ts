/**
 * Injection by meaning: the worst sentences of a text beside its beginning, as the encoder reads them (see
 * ../learned/sense.ts). It tells orders in words that no row has. English alone.
 */
import { encoded } from '../encoder/index.ts'
import { type Sense, senseOf } from '../learned/sense.ts'
import { sigmoid } from '../learned/trees.ts'
import type { Reading } from '../screen/reading.ts'
import { whole } from '../text/phrase.ts'
import { glossed, languageRead } from './glossed.ts'

/** Together at most 160 pieces a text: 40 milliseconds of work. */
const MOST_SENTENCES = 4
const SENTENCE_PIECES = 24
const BEGINNING_PIECES = 64
/** More than so many pieces have. */
const BEGINNING_UNITS = 600

/** Null where the encoder does not read. */
export function sensed(
	{ document, sentences }: Reading,
	margins: ArrayLike<number>,
): { beginning: Float32Array; worst: Float32Array[] } | null {
	const { source } = document
	const found = new Set<string>()
	const order = sentences.map((_, i) => i).sort((a, b) => margins[b]! - margins[a]! || a - b)
	for (const i of order) {
		if (found.size === MOST_SENTENCES) break
		const { start, end } = sentences[i]!.span
		const said = source.slice(start, end).trim()
		if (said) found.add(said)
	}
	const language = languageRead(whole(document).words, source)
	if (!found.size || language === null) return null
	const [beginning] = encoded(
		'offered',
		[glossed(source.slice(0, BEGINNING_UNITS), language)],
		BEGINNING_PIECES,
	)
	return {
		beginning: beginning!,
		worst: encoded(
			'offered',
			[...found].map((one) => glossed(one, language)),
			SENTENCE_PIECES,
		),
	}
}

/** What the network says counts so much beside the other models, from where it is even on: chosen on 480 rows of `kept` by two authors. */
const SHARE = 0.4
const EVEN = -0.5

/** The probability that the other models give, moved by what the sentences mean. */
export function bySense(
	sense: Sense,
): (probability: number, reading: Reading, margins: Float64Array) => number {
	return (probability, reading, margins) => {
		const read = sensed(reading, margins)
		if (!read) return probability
		const odds = Math.log(probability / (1 - probability))
		return sigmoid(odds + SHARE * (senseOf(sense, read.beginning, read.worst) - EVEN))
	}
}
