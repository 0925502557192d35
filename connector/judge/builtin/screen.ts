/** Injection, substance and relevance of a text that an agent is about to read. */
import { probability } from '../learn/ensemble.ts'
import { sigmoid } from '../learn/trees.ts'
import { injectionFeatures, type Reading, readForScreen } from '../screen/reading.ts'
import { substanceOf } from '../screen/substance.ts'
import { read } from '../text/document.ts'
import type { Calls } from './calls.ts'
import { viewClaim } from './claim.ts'
import type { Models } from './models.ts'
import { passages } from './passages.ts'

const MOST_SPANS = 20

export function screen(models: Models, call: Calls['screen'][0]): Calls['screen'][1] {
	const reading = readForScreen(call.text)
	const { features, margins } = injectionFeatures(reading, models.detectors)
	const injection = probability(models.ensembles.injection, features)
	const flagged = injection >= models.tuned.screen.threshold
	const answer: Calls['screen'][1] = {
		basis: 'text',
		injection: {
			flagged,
			probability: injection,
			spans: spansOf(reading, margins, flagged, injection, models),
		},
		substance: substanceOf(reading.document),
	}
	if (call.purpose === undefined) return answer
	const { features: near } = viewClaim(read(call.purpose), passages([call.text]))
	return { ...answer, relevance: { probability: probability(models.ensembles.relevance, near) } }
}

/** The sentences that weigh most; a flagged text shows at least its worst one. */
function spansOf(reading: Reading, margins: Float64Array, flagged: boolean, whole: number, models: Models) {
	const seen = new Set<number>()
	const worst = Array.from(margins, (margin, i) => ({ margin, span: reading.sentences[i]!.span }))
		.sort((a, b) => b.margin - a.margin || a.span.start - b.span.start)
		.filter(({ span }) => !seen.has(span.start) && seen.add(span.start))
	return worst
		.filter(
			({ margin }, i) => (flagged && i === 0) || (flagged && sigmoid(margin) >= models.tuned.screen.span),
		)
		.slice(0, MOST_SPANS)
		.map(({ margin, span }, i) => ({
			...span,
			probability: i === 0 ? whole : Math.min(whole, sigmoid(margin)),
		}))
		.sort((a, b) => a.start - b.start)
}
