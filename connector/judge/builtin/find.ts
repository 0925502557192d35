/** Candidates by how well they answer a query: a learned mix of word, character and meaning overlap. Stuffing costs rank. */
import { margin } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { isStuffed, withoutEcho } from '../rules/stuffing.ts'
import type { Document } from '../text/document.ts'
import { notionsIn } from '../text/notions.ts'
import { type Phrase, phraseOf } from '../text/phrase.ts'
import { relatedTo } from '../text/related.ts'
import type { Calls } from './calls.ts'
import { fewShort } from './few.ts'
import type { Models } from './models.ts'
import { nearerThanMost } from './nearest.ts'
import { FOUND, foundFeatures, readName } from './ranked.ts'

/** What a stuffed candidate keeps of its score. */
const STUFFED = 0.02
/** And of the lowest of the others. */
const STUFFED_BELOW = 0.9
/** Nothing found by words is surer. */
export const MOST = 0.9

export function find({ ensembles }: Models, call: Calls['find'][0]): Calls['find'][1] {
	const query = phraseOf(call.query)
	const candidates = call.candidates.map(readName)
	const plain = candidates.map((candidate) => withoutEcho(query, candidate))
	const rows = foundFeatures(query, plain)
	const { slope, offset } = ensembles.find
	const meant = beyondWords(rows)
	const alike = namedAlike(query, candidates, Math.max(...rows.map((row) => row[SHARE]!)))
	const stuffed = candidates.map(({ sentences }) => isStuffed(query, sentences))
	const margins = rows.map((row, i) => slope * (margin(ensembles.find, row) + meant[i]! + alike[i]!) + offset)
	const near = nearAsSentences(query, call.query, plain, margins, stuffed)
	const worth = WORTH_NEAR / (1 + OF_SHARED * sharedMost(query, plain))
	const rest = rows.map((row) => row[REST]!)
	const few = fewShort(candidates, { alike, near, rest })
	// Of languages that the encoder does not read too little is known without the words.
	const ofFew = near.some((one) => one !== 0) ? few.share : 0
	const found = margins.map(
		(one, i) => MOST * (ofFew * few.shares[i]! + (1 - ofFew) * sigmoid(one + worth * near[i]!)),
	)
	const highest = Math.max(...found)
	const scores = found.map((score, i) => (isAsked(query, candidates[i]!) ? (highest + MOST) / 2 : score))
	const least = Math.min(...scores.filter((_, i) => !stuffed[i]))
	return {
		basis: 'text',
		scores: scores.map((score, i) => (stuffed[i] ? Math.min(STUFFED * score, STUFFED_BELOW * least) : score)),
	}
}

/** A longer text that only repeats the question is no answer to it. */
const MOST_NAMED_WORDS = 3

const ARTICLES = new Set(
	'a an the der die das ein eine le la les un une el los las una il lo de het een'.split(' '),
)

/** A name that is asked for, word for word but for articles: nothing is nearer. */
function isAsked(query: Phrase, { sentences }: Document): boolean {
	const [only, more] = sentences
	if (query.words.length > MOST_NAMED_WORDS || !only || more) return false
	const wanted = named(query.words, query.stems)
	return wanted !== '' && wanted === named(only.words, only.stems)
}

const named = (words: readonly string[], stems: readonly string[]): string =>
	stems.filter((_, i) => !ARTICLES.has(words[i]!)).join(' ')

/** Chosen as those of few.ts. What words tell of already counts less. */
const WORTH_NEAR = 7
const OF_SHARED = 2

function nearAsSentences(
	asked: Phrase,
	query: string,
	candidates: readonly Document[],
	margins: readonly number[],
	stuffed: readonly boolean[],
): number[] {
	const texts = candidates.map(({ source }, i) => (stuffed[i] ? null : source))
	return nearerThanMost(asked, query, texts, margins)
}

/** The largest share of the query's words that a candidate has. */
function sharedMost(asked: Phrase, candidates: readonly Document[]): number {
	const stems = [...asked.places.keys()]
	const shares = candidates.map(({ sentences }) => {
		const there = new Set(sentences.flatMap((sentence) => sentence.stems))
		return stems.filter((stem) => there.has(stem)).length / (stems.length || 1)
	})
	return Math.max(0, ...shares)
}

/** Chosen on development rows and on the half of the probes that is for tuning. */
const WORTH_NAMED = 15
/** Of this many words a candidate's notions count half; longer texts name a notion by chance. */
const MANY_WORDS = 7
/** Where a candidate has all of the query's words, its notions count this much less. */
const OF_SHARED_WORDS = 0.4
/** A notion named by the query's own word: the model has counted it. */
const SAME_WORD = 0.2
/** A notion that answers the one asked for, see related.ts. */
const RELATED = 0.5
/** A notion of the query that no candidate names. */
const UNNAMED = 0.5

/** How much of the query's everyday notions a candidate names, in whatever words; those that few candidates name count more. */
function namedAlike(query: Phrase, candidates: readonly Document[], shared: number): number[] {
	const asked = new Set(notionsIn(query.words).map(({ id }) => id))
	if (!asked.size) return candidates.map(() => 0)
	const sets = candidates.map((candidate) => namedIn(candidate, query, asked))
	const weights = [...asked].map((id) => {
		const count = sets.filter((set) => set.has(id)).length
		return { id, weight: Math.log(1 + candidates.length / (1 + count)), part: count ? 1 : UNNAMED }
	})
	const total = weights.reduce((sum, { weight, part }) => sum + part * weight, 0)
	const shares = sets.map(
		(set) => weights.reduce((sum, { id, weight }) => sum + weight * (set.get(id) ?? 0), 0) / total,
	)
	const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
	const words = candidates.reduce(
		(sum, { sentences }) => sum + sentences.reduce((count, one) => count + one.words.length, 0),
		0,
	)
	const worth =
		(WORTH_NAMED * (1 - OF_SHARED_WORDS * shared)) / (1 + (words / candidates.length / MANY_WORDS) ** 3)
	return shares.map((share) => worth * (share - mean))
}

/** The notions asked for that a candidate names, or names one related to them, and how much that counts. */
function namedIn(
	{ sentences }: Document,
	{ places }: Phrase,
	asked: ReadonlySet<number>,
): Map<number, number> {
	const words = sentences.flatMap((sentence) => sentence.words)
	const stems = sentences.flatMap((sentence) => sentence.stems)
	const named = new Map<number, number>()
	const name = (id: number, worth: number) => {
		if (asked.has(id)) named.set(id, Math.max(named.get(id) ?? 0, worth))
	}
	for (const { id, from, to } of notionsIn(words)) {
		const worth = stems.slice(from, to).some((stem) => places.has(stem)) ? SAME_WORD : 1
		name(id, worth)
		for (const other of relatedTo(id)) name(other, RELATED * worth)
	}
	return named
}

const [SHARE, LENGTH, REST, SOFT] = ['share', 'lengthB', 'meantRest', 'meantSoft'].map((name) =>
	FOUND.indexOf(name),
) as [number, number, number, number]
/** No candidate has more of the query than this: what they share may be chance. */
const LITTLE_SHARED = 0.35
/** Mean logarithm of their words: about ten. Longer texts share the words that count. */
const SHORT = 2.4
/** Chosen on development rows and on the half of the probes that is for tuning. */
const WORTH = 2

/** Among short candidates that share little with the query, what is meant apart from the shared words counts more. */
function beyondWords(rows: readonly Float32Array[]): number[] {
	const length = rows.reduce((sum, row) => sum + row[LENGTH]!, 0) / rows.length
	if (length >= SHORT || rows.some((row) => row[SHARE]! >= LITTLE_SHARED)) return rows.map(() => 0)
	const meant = rows.map((row) => WORTH * (row[REST]! + row[SOFT]!))
	const mean = meant.reduce((sum, value) => sum + value, 0) / meant.length
	return meant.map((value) => value - mean)
}
