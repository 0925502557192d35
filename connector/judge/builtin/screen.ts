/** Injection, substance and relevance of a text that an agent is about to read. */
import { probability } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { isOwnRequest } from '../screen/purpose.ts'
import { readForScreen } from '../screen/reading.ts'
import { type Screened, screenText } from '../screen/sections.ts'
import { substanceOf } from '../screen/substance.ts'
import { read } from '../text/document.ts'
import { whole } from '../text/phrase.ts'
import type { Calls } from './calls.ts'
import { CLAIM_FEATURES, viewClaim } from './claim.ts'
import { askedOf, MEANT, meantOf } from './meant.ts'
import type { Models } from './models.ts'
import { passages } from './passages.ts'
import { bySense } from './sensed.ts'

const MOST_SPANS = 20

export function screen(models: Models, call: Calls['screen'][0]): Calls['screen'][1] {
	const own = call.purpose !== undefined && isOwnRequest(call.purpose)
	const {
		document,
		probability: injection,
		pieces,
	} = screenText(
		call.text,
		models.ensembles.injection,
		models.detectors,
		readForScreen,
		own ? 'own' : call.purpose === undefined ? 'unsaid' : 'data',
		bySense(models.sense),
	)
	const flagged = injection >= models.tuned.screen.threshold
	const answer: Calls['screen'][1] = {
		basis: 'text',
		injection: {
			flagged,
			probability: injection,
			spans: spansOf(pieces, flagged, injection, models),
		},
		substance: substanceOf(document),
	}
	if (call.purpose === undefined) return answer
	// What a request should be relevant to is not said.
	if (own) return { ...answer, relevance: { probability: 0.5 } }
	const near = nearness(call.purpose, call.text)
	return { ...answer, relevance: { probability: probability(models.ensembles.relevance, near) } }
}

export const NEARNESS = [...CLAIM_FEATURES, ...MEANT]
/** Bounds the work: what a page is about stands at its beginning. */
const SENTENCES_READ = 120

/** A purpose beside a text: the words that they share, and what both are about. */
export function nearness(purpose: string, text: string): Float32Array {
	const wanted = read(purpose)
	const { source, folded, sentences } = read(text)
	const head = { source, folded, sentences: sentences.slice(0, SENTENCES_READ) }
	return Float32Array.of(
		...viewClaim(wanted, passages([text])).features,
		...meantOf(askedOf(whole(wanted)), whole(head), head),
	)
}

/** The sentences that weigh most; a flagged text shows at least its worst one. */
function spansOf(pieces: Screened['pieces'], flagged: boolean, whole: number, models: Models) {
	const seen = new Set<number>()
	const worst = pieces
		.toSorted((a, b) => b.margin - a.margin || a.span.start - b.span.start)
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
