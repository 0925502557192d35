/**
 * Distils the words of other languages: for every lemma of Wiktionary that the Open Multilingual Wordnet ties to
 * WordNet's senses, the English word that shares most of them and is common. `DIR` is the folder `wns/wikt` of that
 * project (github.com/omwn/omw-data), with a table for each language; its result is committed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Weights } from '../../learned/arrays.ts'
import { fold } from '../../text/fold.ts'
import { hash } from '../../text/hash.ts'
import { wordId } from '../../text/lexicon.ts'
import { nameRoot, verbRoot } from '../../text/roots.ts'

/** Names of the tables, by the judge's names. */
const TABLES = { de: 'deu', es: 'spa', fr: 'fra', it: 'ita', pt: 'por', nl: 'nld', ru: 'rus', tr: 'tur' }
/** A rarer English word explains little. */
const RAREST_ID = 30_000

/** English words by how many senses they share. */
type Votes = Map<string, Map<number, number>>

export function buildLanguages(from: string): Weights {
	const english = readEnglish(from)
	const ids = new Map<number, number>()
	for (const [language, table] of Object.entries(TABLES)) {
		const { all, verbs } = readVotes(join(from, `wn-wikt-${table}.tab`), english.bySense)
		const keys: [Votes, (word: string) => string][] = [
			[all, (word) => `${language}:${word}`],
			[verbs, (word) => `${language}+${verbRoot(word, language)}`],
			[all, (word) => `${language}-${nameRoot(word, language)}`],
		]
		for (const [votes, key] of keys)
			for (const [word, own] of votes) {
				const place = hash(key(word))
				const id = bestOf(own, english.senses)
				ids.set(place, Math.min(id, ids.get(place) ?? id))
			}
	}
	const sorted = [...ids].sort(([a], [b]) => a - b)
	return {
		meta: { words: sorted.length },
		arrays: {
			hashes: Uint32Array.from(sorted, ([key]) => key),
			meanings: Uint16Array.from(sorted, ([, id]) => id),
		},
	}
}

function readEnglish(from: string) {
	const bySense = new Map<string, number[]>()
	const senses = new Map<number, number>()
	for (const [sense, word] of lemmas(join(from, 'wn-wikt-eng.tab'))) {
		const id = wordId(word)
		if (id < 0 || id > RAREST_ID) continue
		bySense.set(sense, [...(bySense.get(sense) ?? []), id])
		senses.set(id, (senses.get(id) ?? 0) + 1)
	}
	return { bySense, senses }
}

function readVotes(file: string, bySense: ReadonlyMap<string, number[]>): { all: Votes; verbs: Votes } {
	const all: Votes = new Map()
	const verbs: Votes = new Map()
	for (const [sense, word] of lemmas(file))
		for (const id of bySense.get(sense) ?? [])
			for (const votes of sense.endsWith('v') ? [all, verbs] : [all]) {
				const own = votes.get(word) ?? new Map<number, number>()
				votes.set(word, own.set(id, (own.get(id) ?? 0) + 1))
			}
	return { all, verbs }
}

/** Of the words with shared senses the one with many of them, few others, and a low place: a common word. */
function bestOf(own: ReadonlyMap<number, number>, senses: ReadonlyMap<number, number>): number {
	const score = ([id, shared]: [number, number]) =>
		1.5 * Math.log(shared + 0.5) - 0.5 * Math.log(senses.get(id)! + 1) - 0.5 * Math.log(id + 50)
	return [...own].sort((a, b) => score(b) - score(a))[0]![0]
}

/** Sense and lemma of every line; lemmas of several words are left out. */
function lemmas(file: string): [string, string][] {
	return readFileSync(file, 'utf8')
		.split('\n')
		.flatMap((line): [string, string][] => {
			const [sense, kind, lemma] = line.split('\t')
			if (!lemma || !kind?.endsWith('lemma') || /[\s_\d]/.test(lemma)) return []
			const word = fold(lemma).text
			return word.length > 1 ? [[sense!, word]] : []
		})
}
