/** Pairs of which a thing is one or the other, in the languages met most often: the claim has one, the passage the other. */

import { languageOf } from '../text/languages.ts'
import { longest, NOTIONS, notionsIn } from '../text/notions.ts'
import { FUNCTION, NEGATION, type Phrase } from '../text/phrase.ts'

/** Folded; an entry ending in `*` stands for every word that begins so. */
const PAIRS: [one: string, other: string][] = [
	[
		'open offen geoffnet ouvert* abiert* apert* abert* geopend открыт* acik',
		'closed shut geschlossen ferme* cerrad* chius* fechad* gesloten закрыт* kapali',
	],
	[
		'allowed permitted erlaubt permis* autoris* permitid* consentit* toegestaan',
		'prohibited forbidden banned verboten interdit* prohibid* vietat* proibid* verboden запрещ* yasak',
	],
	['won win wins victory', 'lost lose loses beaten defeat* defeated'],
	[
		'rose rise* increase* grew gestiegen augment* aument* subi*',
		'fell fall* decrease* dropped declined gesunken baisse* diminu* baj* caiu',
	],
	[
		'accepted approved agreed genehmigt approuv* aceptad* aprob* aprov* approvat* goedgekeurd одобр* onaylad*',
		'refused rejected declined denied abgelehnt refus* rechaz* recus* rifiut* geweigerd отказ* redded*',
	],
	[
		'intact unbroken undamaged inteiro heil intacto entero intatto heel',
		'broken damaged crushed defective kaputt casse* rot* quebrad* kapot сломан* bozuk kirik',
	],
	[
		'quiet silent still stil ruhig calme tranquil* silencios* silenzios*',
		'noisy loud laut bruyant* ruidos* rumoros* barulhent* lawaai* шумн* gurultul*',
	],
	['near close nearby', 'far distant remote'],
	['opens offnet abre ouvre apre opent', 'closes schliesst cierra ferme chiude fecha sluit'],
	['cheap inexpensive billig', 'expensive costly overpriced teuer'],
	['paid bezahlt', 'unpaid overdue outstanding unbezahlt'],
	['success succeeded passed', 'failure failed'],
	['delivered', 'cancelled canceled lost'],
	['alive survived', 'dead died killed'],
	['early', 'late delayed'],
	['full', 'empty'],
	['safe harmless', 'dangerous unsafe harmful'],
	['hot warm', 'cold'],
]

/** Notions of which a thing has one or the other. */
const NOTION_PAIRS = [
	['openx', 'closed'],
	['win', 'lose'],
	['rise', 'fall'],
	['allowed', 'forbidden'],
	['cheap', 'dear'],
	['clean', 'dirty'],
	['noise', 'quiet'],
	['nearby', 'far'],
	['soldout', 'instock'],
	['like', 'dislike'],
	['agree', 'disagree'],
	['begin', 'endx'],
].flatMap(([one, other]) => {
	const [x, y] = [NOTIONS.indexOf(one!), NOTIONS.indexOf(other!)]
	return [[x, y] as const, [y, x] as const]
})

const signs = PAIRS.map(([one, other]) => [matcher(one), matcher(other)] as const)

function matcher(list: string): (word: string) => boolean {
	const whole = new Set<string>()
	const starts: string[] = []
	for (const entry of list.split(' ')) {
		if (entry.endsWith('*')) starts.push(entry.slice(0, -1))
		else whole.add(entry)
	}
	return (word) => whole.has(word) || starts.some((start) => word.startsWith(start))
}

const LONGEST_CLAIM_WORDS = 12
const LONGEST_PASSAGE_WORDS = 16
const REACH_WORDS = 3

/** −1 where the passage says the opposite, 1 where it denies the opposite, 0 where no pair speaks. */
export function oppositeOf(claim: Phrase, said: Phrase): -1 | 0 | 1 {
	if (claim.words.length > LONGEST_CLAIM_WORDS || said.words.length > LONGEST_PASSAGE_WORDS) return 0
	if (said.words.some((word) => CONDITIONS.has(word))) return 0
	for (const [one, other] of signs)
		for (const [mine, theirs] of [
			[one, other],
			[other, one],
		] as const) {
			const i = claim.words.findIndex(mine)
			if (i < 0 || said.words.some(mine)) continue
			const j = said.words.findIndex(theirs)
			if (j < 0 || !shares(claim, said, i)) continue
			return isTurned(claim, i) === isTurned(said, j) ? -1 : 1
		}
	return oppositeNotion(claim, said)
}

function oppositeNotion(claim: Phrase, said: Phrase): -1 | 0 | 1 {
	const [mine, theirs] = [longest(notionsIn(claim.words)), longest(notionsIn(said.words))]
	for (const [one, other] of NOTION_PAIRS) {
		const own = mine.find(({ id }) => id === one)
		const against = theirs.find(({ id }) => id === other)
		if (!own || !against || theirs.some(({ id }) => id === one) || mine.some(({ id }) => id === other))
			continue
		if (!shares(claim, said, own.from)) continue
		return isTurned(claim, own.from) === isTurned(said, against.from) ? -1 : 1
	}
	return 0
}

/** Other languages than English put the negation behind the verb as well: "darf man nicht". */
function isTurned({ marks, words }: Phrase, at: number): boolean {
	const end = languageOf(words) ? Math.min(marks.length, at + REACH_WORDS + 1) : at
	const turned = words.some((word) => EARLIER.has(word))
	for (let k = Math.max(0, at - REACH_WORDS); k < end; k++)
		if (k !== at && marks[k]! & NEGATION) return !turned
	return turned
}

/** "It was lower earlier" of what rose. */
const EARLIER = new Set(['earlier', 'previously', 'formerly'])
/** What holds only then is not what holds. */
const CONDITIONS = new Set(
	'if unless except wenn falls ausser sauf excepto salvo tranne behalve кроме если'.split(' '),
)

/** Another content word stands in both. */
const shares = (claim: Phrase, said: Phrase, but: number): boolean =>
	claim.stems.some((stem, i) => i !== but && !(claim.marks[i]! & FUNCTION) && said.places.has(stem))
