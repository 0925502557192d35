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

/** More words that tell a language, and mean something, in the order of `LANGUAGES`. */
const TELLING = [
	"without get got let please need want any all each new free best first last many much can't what's where's man men woman people said says while because between through under against during both now these two three one years day make use using open find list old young big good used sitting standing playing",
	'ohne mein meine meinen meinem dein deine unser unsere euer wir uns mir dir bitte jetzt hier alle vom zum ins gegen zwischen wann warum welche welcher welches mehr etwas jahr jahre tag tage zwei drei gibt geht machen muss mussen mochte seit wegen beim neue neuer neues gut mann frau sagt sagte hatte waren werde worden haben geld',
	'quiero quiere mis tus nos desde hasta hacia cada todo toda todos todas nuestra nuestro puedo puede tiene tengo hacer hace nuevo nueva gratis ano anos dia dias dos tres hombre mujer hola gracias porque pero bien donde ahora sus fue tras segun contra',
	"mon ma mes ton tes notre nos votre vos sans peut puis fait faire deux trois jour jours an ans chez tout tous toute toutes veux veut homme femme bonjour merci lors apres avant depuis dont aux entre autre contre jusqu'a l'a n'est d'une s'est qu'elle c'etait",
	'mio mia miei mie tuo tua nostro nostra senza puo fare fatto due tre giorno giorni anno anni tutto tutti tutte questa questo queste questi sul sulla sugli voglio vuole uomo donna ciao grazie perche dopo prima ancora molto degli agli nel nello dall dalla',
	'meu minha meus minhas teu tua nosso nossa sem pode fazer feito dois tres dia dias todos todas esta este esse essa isso pelo pela quero quer homem mulher ola obrigado porque depois antes ainda muito sobre ate tenho nova novo aos estou',
	'mijn jouw onze zonder kunnen moet moeten maken twee drie dag dagen jaar jaren alle alles hoe waar waarom wie wat graag wil willen man vrouw hallo dank omdat na nieuwe veel meer wordt werd zich haar hun tegen tussen weer gaat',
	'мои моя мое наш наша без может можно сделать два три день дня год года лет все всех эта эти хочу хочет нет здравствуите спасибо потому после перед еще очень где когда почему который которая сколько мне нам',
	'benim senin bizim olmadan olabilir yapmak iki uc gun yil tum butun bunu hangi nasil nerede neden istiyorum merhaba tesekkurler cunku sonra once hala cok nedir lutfen degil gore karsi',
]

/** Bits of the languages that have a word among their commonest; bit 0 is English. */
const common = new Map<string, number>()
STOP_LISTS.forEach((words, language) => {
	for (const word of words) common.set(word, (common.get(word) ?? 0) | (1 << language))
})
const telling = new Map(common)
TELLING.forEach((words, language) => {
	for (const word of words.split(' ')) telling.set(word, (telling.get(word) ?? 0) | (1 << language))
})
const WORDS_READ = 60

/** Place in `LANGUAGES`; 0, English, where nothing tells otherwise. */
export function languageOf(words: readonly string[]): number {
	const counts = LANGUAGES.map(() => 0)
	const read = words.length > WORDS_READ ? words.slice(0, WORDS_READ) : words
	for (const word of read) {
		const bits = telling.get(word) ?? 0
		if (bits) for (let k = 0; k < counts.length; k++) if (bits & (1 << k)) counts[k]!++
	}
	const most = Math.max(...counts)
	const first = counts.flatMap((count, k) => (count === most ? [k] : []))
	if (first.length === 1) return first[0]!
	const open = read.filter((word) => word.length > 2 && !common.has(word)).slice(0, WORDS_LOOKED_UP)
	let language = first[0]!
	let best = -1
	for (const k of first) {
		const known = open.reduce((sum, word) => sum + (knows(word, k) ? 1 : 0), 0)
		// English is the first: it wins where it knows as many.
		if (known > best) [language, best] = [k, known]
	}
	return language
}

/** Bounds the work where the commonest words do not tell. */
const WORDS_LOOKED_UP = 10

const knows = (word: string, language: number): boolean =>
	language ? meaningId(word, language) >= 0 : wordId(word) >= 0

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
