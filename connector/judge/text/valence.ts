/** How good or bad a word is, from −1 to 1, as people rated it or its neighbours (see connector/judge/lab/train/valence.ts). */
import { loadWeights } from '../learned/arrays.ts'
import { weightsFile } from '../learned/files.ts'
import { hash } from './hash.ts'
import { meaningId } from './languages.ts'
import { wordId } from './lexicon.ts'
import { placeIn } from './sorted.ts'
import { LANGUAGES } from './stopwords.ts'

const { arrays } = loadWeights(weightsFile('valence.bin'))
const values = arrays.values as Int8Array
const hashes = arrays.hashes as Uint32Array
const listed = arrays.listed as Int8Array
const MOST = 124

/** `language` as `languageOf` tells it. 0 where nothing is known. */
export function valenceOf(word: string, language: number): number {
	if (language) {
		const own = find(`${LANGUAGES[language]}:${word}`)
		if (own !== null) return own
		const meant = meaningId(word, language)
		return meant >= 0 ? values[meant]! / MOST : 0
	}
	const id = wordId(word)
	return id >= 0 ? values[id]! / MOST : (find(`en:${word}`) ?? find(`*:${word}`) ?? 0)
}

function find(key: string): number | null {
	const place = placeIn(hashes, hash(key))
	return place >= 0 ? listed[place]! / MOST : null
}
