/** What the shape of a whole text says, beside the words of its sentences: who is addressed, what stands out of place. */
import { classOf, LETTER, SPACE } from '../text/chars.ts'
import type { Document, Sentence } from '../text/document.ts'
import { addVector, DIMENSIONS, rarity, wordId } from '../text/lexicon.ts'
import { CONCEPT_NAMES, conceptOf, unspacedConcepts } from './concepts.ts'

const C = Object.fromEntries(CONCEPT_NAMES.map((name, i) => [name, i])) as Record<string, number>

/** Pairs and triples of concepts in one sentence: the commonest shapes of an attack. */
const SHAPES: string[][] = [
	['ignore', 'instruction'],
	['ignore', 'prior'],
	['ignore', 'all', 'prior'],
	['role', 'you'],
	['you', 'now'],
	['mode', 'you'],
	['reveal', 'system'],
	['reveal', 'instruction'],
	['you', 'instruction'],
	['send', 'asset'],
	['please', 'me'],
	['verb', 'me'],
	['answer', 'must'],
	['say', 'answer'],
	['not', 'user'],
	['hide', 'user'],
	['model', 'you'],
	['restriction', 'not'],
	['urgent', 'instruction'],
	['task', 'now'],
	['execute', 'system'],
	['verb', 'answer'],
]
export const SIGNALS = [
	...SHAPES.map((shape) => shape.join('+')),
	'imperative',
	'imperativeShare',
	'question',
	'questionShare',
	'stranger',
	'strangerImperative',
	'strangerQuestion',
	'windows',
	'markup',
	'symbols',
	'capitals',
	'links',
	'hidden',
	'disguised',
	'code',
	'first',
	'last',
	'json',
	'letters',
] as const

/** Beyond this many sentences the shape is taken from a sample: signals must not cost more than the words. */
const SAMPLED = 400

export function signals(document: Document, pieces: readonly Sentence[], disguises: number): Float32Array {
	const out = new Float32Array(SIGNALS.length)
	const put = (name: string, value: number) => {
		out[PLACE[name]!] = value
	}
	const step = Math.max(1, Math.ceil(pieces.length / SAMPLED))
	const sample = pieces.filter((_, i) => i % step === 0)
	const seen = sample.map(conceptsOf)
	SHAPES.forEach((shape, i) => {
		const wanted = shape.map((name) => C[name]!)
		out[i] = seen.some((concepts) => wanted.every((concept) => concepts.has(concept))) ? 1 : 0
	})
	const commands = sample.map((sentence) => imperative(document.source, sentence))
	const questions = sample.map((sentence) =>
		document.source.slice(sentence.span.start, sentence.span.end).includes('?') ? 1 : 0,
	)
	const strange = strangeness(sample)
	const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0)
	const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length)
	put('imperative', most(commands))
	put('imperativeShare', mean(commands))
	put('question', most(questions))
	put('questionShare', mean(questions))
	put('stranger', most(strange))
	put('strangerImperative', most(commands.map((command, i) => command * strange[i]!)))
	put('strangerQuestion', most(questions.map((question, i) => question * strange[i]!)))
	put('windows', Math.log1p(document.sentences.length))
	put('first', commands[0] ?? 0)
	put('last', commands.at(-1) ?? 0)
	put('hidden', Math.log1p(document.folded.hidden + document.folded.lookalikes))
	put('disguised', Math.log1p(disguises))
	surface(document.source, put)
	return out
}

const PLACE = Object.fromEntries(SIGNALS.map((name, i) => [name, i])) as Record<string, number>

function conceptsOf(sentence: Sentence): Set<number> {
	const found = new Set(unspacedConcepts(sentence.text))
	for (const word of sentence.words) {
		const concept = conceptOf(word)
		if (concept >= 0) found.add(concept)
	}
	return found
}

const ORDERS = new Set(
	['ignore', 'reveal', 'send', 'say', 'verb', 'execute', 'role', 'answer'].map((name) => C[name]!),
)
const OPENERS = new Set(
	'please kindly now then and also just first next bitte por favor veuillez but instead always never only simply'.split(
		' ',
	),
)

/** 1 where a clause of the sentence opens with an order, 0.5 where "you must" and its kin stand in it. */
function imperative(source: string, sentence: Sentence): number {
	let opens = true
	for (let k = 0; k < sentence.words.length; k++) {
		const word = sentence.words[k]!
		if (opens && ORDERS.has(conceptOf(word)) && !word.endsWith('ing') && !word.endsWith('ed')) return 1
		if (opens && OPENERS.has(word)) continue
		const after = source.charCodeAt(sentence.span.start + (sentence.ends[k]! - sentence.starts[0]!))
		opens =
			after === 58 ||
			after === 34 ||
			after === 39 ||
			after === 44 ||
			after === 46 ||
			after === 124 ||
			after === 45
	}
	const seen = conceptsOf(sentence)
	return seen.has(C.you!) && seen.has(C.must!) ? 0.5 : 0
}

/** How far each sentence's words lie from those of the rest; 0 for a text of one sentence. */
function strangeness(sample: readonly Sentence[]): number[] {
	if (sample.length < 2) return sample.map(() => 0)
	const vectors = sample.map((sentence) => {
		const vector = new Float32Array(DIMENSIONS)
		for (const word of sentence.words) {
			const id = wordId(word)
			if (id >= 0) addVector(vector, id, rarity(word, id))
		}
		return vector
	})
	const total = new Float32Array(DIMENSIONS)
	for (const vector of vectors) for (let k = 0; k < DIMENSIONS; k++) total[k]! += vector[k]!
	return vectors.map((vector) => {
		let product = 0
		let a = 0
		let b = 0
		for (let k = 0; k < DIMENSIONS; k++) {
			const rest = total[k]! - vector[k]!
			product += vector[k]! * rest
			a += vector[k]! * vector[k]!
			b += rest * rest
		}
		return a && b ? 1 - product / Math.sqrt(a * b) : 0.5
	})
}

const MARKUP = [
	'<|',
	'[inst]',
	'[/inst]',
	'<<sys>>',
	'###',
	'system:',
	'assistant:',
	'user:',
	'human:',
	'[system',
	'</',
	'<system',
	'begin!',
	'"""',
	"'''",
	'{{',
]

function surface(source: string, put: (name: string, value: number) => void): void {
	const low = source.slice(0, 100_000).toLowerCase()
	let symbols = 0
	let capitals = 0
	let letters = 0
	for (let i = 0; i < low.length; i++) {
		const kind = classOf(low.charCodeAt(i))
		if (kind === LETTER) {
			letters++
			if (source.charCodeAt(i) !== low.charCodeAt(i)) capitals++
		} else if (kind !== SPACE) symbols++
	}
	put('markup', Math.log1p(MARKUP.filter((mark) => low.includes(mark)).length))
	put('symbols', symbols / Math.max(1, low.length))
	put('letters', letters / Math.max(1, low.length))
	put('capitals', capitals / Math.max(1, letters))
	put('links', Math.log1p(low.split('http').length - 1 + low.split('@').length - 1))
	put(
		'code',
		['function ', 'import ', 'const ', 'def ', 'return ', '();', '```', 'print('].filter((mark) =>
			low.includes(mark),
		).length,
	)
	put('json', low.includes("': ") || low.includes('": ') ? 1 : 0)
}
