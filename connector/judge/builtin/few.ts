/**
 * A few short candidates, as entries of a menu or titles of pages: the words that they share with a query are often
 * chance ("ball" of a game and of a dress), so what the whole sentences say and what is left without these words counts,
 * and the answer is a share among them, not how well each one fits alone.
 */
import { softmax } from '../learned/trees.ts'
import type { Document } from '../text/document.ts'

/** Of every candidate. */
export interface Signs {
	/** Notions that they name. */
	alike: readonly number[]
	/** As whole sentences. */
	near: readonly number[]
	/** What is left of both sides without the shared words. */
	rest: readonly number[]
}

/**
 * Fitted on 1,440 searches of six authors, each read by an encoder that had not learned from that author, on collected
 * rows and on the half of the probes that is for tuning. What words alone say of so few, these three say as well.
 */
const WORTH = { alike: 0.25, near: 5, rest: 2.7 }
/** Of this many words on average, and of this many candidates, the one answer counts as much as the other. */
const MANY_WORDS = 12
const MANY_CANDIDATES = 12

export function fewShort(candidates: readonly Document[], signs: Signs): { share: number; shares: number[] } {
	const count = candidates.reduce(
		(sum, { sentences }) => sum + sentences.reduce((own, { words }) => own + words.length, 0),
		0,
	)
	const share =
		1 /
		(1 + (count / candidates.length / MANY_WORDS) ** 4) /
		(1 + (candidates.length / MANY_CANDIDATES) ** 10)
	const margins = signs.near.map(
		(near, i) => WORTH.near * near + WORTH.alike * signs.alike[i]! + WORTH.rest * signs.rest[i]!,
	)
	return { share, shares: softmax(margins) }
}
