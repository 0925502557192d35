/**
 * Words of other languages by the commonest English word that means the same, so that what the lexicon knows of English
 * serves them too. Which language a phrase is in is told by its commonest words, and where these agree, by the others.
 */
import { loadWeights } from '../learned/arrays.ts'
import { weightsFile } from '../learned/files.ts'
import { hash } from './hash.ts'
import { wordId } from './lexicon.ts'
import { nameRoot, singulars, verbRoot } from './roots.ts'
import { placeIn } from './sorted.ts'
import { LANGUAGES, STOP_LISTS } from './stopwords.ts'

const { arrays } = loadWeights(weightsFile('languages.bin'))
const hashes = arrays.hashes as Uint32Array
const meanings = arrays.meanings as Uint16Array

/** Bits of the languages that have a word among their commonest; bit 0 is English. */
const common = new Map<string, number>()
STOP_LISTS.forEach((words, language) => {
	for (const word of words) common.set(word, (common.get(word) ?? 0) | (1 << language))
})
const WORDS_READ = 60

/** Place in `LANGUAGES`; 0, English, where nothing tells otherwise. */
export function languageOf(words: readonly string[]): number {
	const counts = LANGUAGES.map(() => 0)
	const read = words.length > WORDS_READ ? words.slice(0, WORDS_READ) : words
	for (const word of read) {
		const bits = common.get(word) ?? 0
		if (bits) for (let k = 0; k < counts.length; k++) if (bits & (1 << k)) counts[k]!++
	}
	const most = Math.max(...counts)
	const first = counts.flatMap((count, k) => (count === most ? [k] : []))
	if (first.length === 1) return first[0]!
	const open = read.filter((word) => word.length > 2 && !common.has(word)).slice(0, WORDS_LOOKED_UP)
	if (!most && open.length < 2) return 0
	let language = first[0]!
	let best = -1
	for (const k of first) {
		const known = open.reduce((sum, word) => sum + (knows(word, k) ? 1 : 0), 0)
		if (known > best) [language, best] = [k, known]
		if (k === 0 && known >= ENGLISH_ENOUGH * open.length) return 0
	}
	return language
}

/** Of Polish, which no list of meanings has: its commonest words that are none of the other languages. */
const POLISH = new Set(
	'nie jest sie dla jak jaki jaka jakie czy gdzie kiedy ile moj moja moje mojego prosze jestem mam chce moge mozna oraz przez przy przed juz tylko jego twoj twoja twoje nasz nasza nasze bardzo jeszcze ktory ktora ktore mnie zostal zostala'.split(
		' ',
	),
)

/** Whether words of another language than English may be among these: its commonest words, or none that English has. */
export function mayBeForeign(words: readonly string[]): boolean {
	if (languageOf(words)) return true
	const read = words.slice(0, WORDS_READ)
	if (read.some((word) => POLISH.has(word) || word.includes('ł'))) return true
	const open = read.filter((word) => word.length > 2 && !common.has(word)).slice(0, WORDS_LOOKED_UP)
	const known = open.reduce((sum, word) => sum + (knows(word, 0) ? 1 : 0), 0)
	return read.length < SHORT && known < HALF * open.length
}

/** Of longer texts the commonest words tell. */
const SHORT = 8
const HALF = 0.5
/** Bounds the work where the commonest words do not tell. */
const WORDS_LOOKED_UP = 10
/** Share of words known as English from which on no other language is tried. */
const ENGLISH_ENOUGH = 0.7
/** Beyond this place the lexicon has names and words of other languages. */
const COMMON_ENGLISH = 12_000

function knows(word: string, language: number): boolean {
	if (language) return meaningId(word, language) >= 0
	const id = wordId(word)
	return id >= 0 && id < COMMON_ENGLISH
}

const SHORTEST_HEAD = 4

/** Lexicon place of what the word means, or -1. A compound means about what its last part does. */
export function meaningId(word: string, language: number): number {
	if ((common.get(word) ?? 0) & (1 << language)) return -1
	const name = LANGUAGES[language]!
	const plain = word.slice(word.lastIndexOf("'") + 1)
	const whole = found(plain, name)
	if (whole >= 0 || (name !== 'de' && name !== 'nl')) return whole
	for (let cut = 3; cut <= plain.length - SHORTEST_HEAD; cut++) {
		const id = listed(plain.slice(cut), name)
		if (id >= 0) return id
	}
	return -1
}

/** As it stands in a dictionary or in the plural, as a form of a verb, as a form of a name. */
function found(word: string, language: string): number {
	const known = listed(word, language)
	if (known >= 0) return known
	const verb = find(`${language}+${verbRoot(word, language)}`)
	return verb >= 0 ? verb : find(`${language}-${nameRoot(word, language)}`)
}

function listed(word: string, language: string): number {
	const known = find(`${language}:${word}`)
	if (known >= 0) return known
	for (const one of singulars(word, language)) {
		const id = find(`${language}:${one}`)
		if (id >= 0) return id
	}
	return -1
}

function find(key: string): number {
	const place = placeIn(hashes, hash(key))
	return place >= 0 ? meanings[place]! : -1
}
