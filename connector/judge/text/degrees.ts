/** How far a text goes: what says that it is in the middle, only a little, or all the way; and a share that it names. Folded text. */

/** Of two sides neither, or both as much. */
const BETWEEN =
	/\bneither (?:\w+ ){1,2}nor\b|\bnot (?:(?:very|too|so|that|particularly) )?\w+,? (?:but |and )?not (?:(?:very|too|so|that|particularly) )?\w+ either\b|\bnot \w+, not \w+\b|\b(?:so-so|fifty-fifty|50[-/]50|toss-?up|coin toss|could go either way|might go either way|either way|in between|in the middle|middle of the|middling|mediocre|passable|acceptable|adequate|satisfactory|average|standard|normal|ordinary|usual|moderate(?:ly)?|medium|mixed|nothing special|not bad|okay|ok|alright|all right|half)\b|\bweder \w+ noch\b|\b(?:mittel(?:massig)?|durchschnitt\w*|halb|halfte|so lala|normal|geht so|in ordnung)\b|\bni \w+ ni\b|\b(?:moyen(?:ne)?|moitie|comme ci|correct|regular|mitad|punto medio|asi asi|normalito|meta|cosi cosi|discreto|nella media|metade|mais ou menos|razoavel|gemiddeld|gaat wel|helft|halve|matig|srednio|tak sobie|polowa|pol na pol|idare eder|orta|yari|ortalama|средн\w*|так себе|половин\w*|lagom|halften|sadar|medel\w*)\b|\bne \w+ ne\b|\bни \p{L}+,? ни\b|\bani \w+,? ani\b|\bniet \w+ (?:en|maar ook) niet \w+\b|\bvarken \w+ eller\b|\bnem \w+ nem\b/u
/** Only a little of it. */
const SLIGHT =
	/\b(?:a (?:bit|little|touch|tad|shade|few)|slight(?:ly)?|somewhat|rather|fairly|quite|mostly|mild(?:ly)?|minor|modest(?:ly)?|almost|nearly|partly|partially|kind of|sort of|some|etwas|leicht|ziemlich|eher|meist\w*|un peu|plutot|assez|legere?\w*|un poco|algo|bastante|un po|abbastanza|lievement\w*|um pouco|een beetje|redelijk|best wel|немного|довольно|biraz|oldukca|troche|raczej|lite|ganska)\b/u
/** All the way. */
const WHOLE =
	/\b(?:never|ever|always|nothing|nobody|no one|everything|everyone|every|all|absolutely|completely|totally|utterly|entirely|fully|extremely|perfect(?:ly)?|best|worst|impossible|unbearable|immediately|at once|not a single|without a single|not one|nie|niemals|immer|nichts|niemand|alles|alle|vollig|total|absolut|perfekt|jamais|toujours|rien|personne|tout|absolument|parfait\w*|nunca|siempre|nada|nadie|todo|perfect\w*|mai|sempre|niente|nessun\w*|tutto|perfett\w*|nooit|altijd|niets|niemand|alles|никогда|всегда|ничего|никто|все|полностью|hic|asla|her|tamamen|nigdy|zawsze|nic|nikt|aldrig|alltid|inget|ingen)\b|!/u

/** 1 or 0 of each: between, slight, whole. */
export const degreesOf = (folded: string): [between: number, slight: number, whole: number] => [
	BETWEEN.test(folded) ? 1 : 0,
	SLIGHT.test(folded) ? 1 : 0,
	WHOLE.test(folded) ? 1 : 0,
]

const NUMBER = String.raw`(\d+(?:[.,]\d+)?)`
const OF = new RegExp(
	String.raw`\b${NUMBER} (?:\p{L}+ )?(?:out of|of|von|sur|de|su|van|из|av|z|na) (?:the |our |its |their |a |all |den |les |los |las )?${NUMBER}\b|\b${NUMBER} ?/ ?${NUMBER}\b`,
	'u',
)
const PERCENT = new RegExp(
	String.raw`\b${NUMBER} ?(?:%|percent|per cent|prozent|pour cent|por ciento|per cento|procent|процент)`,
	'u',
)
const NAMED: [RegExp, number][] = [
	[/\b(?:three quarters|three-quarters|drei viertel|trois quarts|tres cuartos|tre quarti)\b/u, 0.75],
	[/\b(?:two thirds|two-thirds|zwei drittel|deux tiers|dos tercios|due terzi)\b/u, 0.67],
	[/\b(?:half|halb\w*|halfte|moitie|mitad|meta|metade|helft|polow\w*|yarisi|половин\w*|halften)\b/u, 0.5],
	[/\b(?:a third|one third|ein drittel|un tiers|un tercio|un terzo)\b/u, 0.33],
	[/\b(?:a quarter|one quarter|ein viertel|un quart|un cuarto|un quarto)\b/u, 0.25],
]

/** A share between 0 and 1 that the text gives in numbers, or, where it may, in words; null where it gives none. */
export function shareIn(folded: string, named: boolean): number | null {
	const parts = OF.exec(folded)
	if (parts) {
		const [part, whole] = [parts[1] ?? parts[3], parts[2] ?? parts[4]].map((one) =>
			Number(one!.replace(',', '.')),
		)
		if (whole! > 1 && part! <= whole!) return part! / whole!
	}
	const percent = PERCENT.exec(folded)
	if (percent) {
		const share = Number(percent[1]!.replace(',', '.')) / 100
		if (share <= 1) return share
	}
	return (named && NAMED.find(([pattern]) => pattern.test(folded))?.[1]) || null
}

/** Labels of levels: only a little, and all the way. */
export const MILD =
	/slight|somewhat|rather|fairly|a (?:bit|little|few)|mostly|mild|minor|some|quite|etwas|eher|leicht|peu|plutot|assez|algo|poco|bastante|abbastanza|beetje|немного|biraz/u
export const EXTREME =
	/extreme|complete|total|utter|very|never|always|every|all\b|none|nothing|perfect|worst|best|unbearabl|impossible|disaster|sehr|vollig|tres|muy|molto|muito|zeer|heel|очень|cok|bardzo|mycket/u

const NOTHING =
	/^(?:no(?:ne|t any|body|thing)?|zero|empty|never|nothing|deserted|free|not (?:started|at all)|0|rejected|failed|hardly|kein\w*|leer|nichts|nie|aucun|vide|rien|ningun\w*|vaci\w*|nada|vuot\w*|nessun\w*|leeg|geen|пуст\p{L}*|bos|pust\w*)\b/u
const ALL =
	/^(?:all|everything|everyone|everybody|full|complete\w*|always|packed|sold out|perfect|finished|done|100|overcrowded|alle?s?|voll\w*|tout|plein\w*|complet\w*|todo|llen\w*|tutto|pien\w*|vol|все|полн\p{L}*|dolu|pelny)\b/u

/** 1 where levels run from nothing to everything, −1 where they run back, 0 where their ends name no amount. Folded. */
export const sideOfAmount = (first: string, last: string): -1 | 0 | 1 =>
	NOTHING.test(first) || ALL.test(last) ? 1 : NOTHING.test(last) || ALL.test(first) ? -1 : 0

const VAGUE: [RegExp, number][] = [
	[
		/\b(?:more than half|over half|mehr als die halfte|plus de la moitie|mas de la mitad|piu della meta)\b/u,
		0.7,
	],
	[
		/\b(?:(?:less|fewer) than half|under half|weniger als die halfte|moins de la moitie|menos de la mitad|meno della meta)\b/u,
		0.3,
	],
	[/\b(?:nearly|almost) (?:all|full|every\w*|finished|done)\b/u, 0.9],
	[/\b(?:nearly|almost) (?:none|empty|nobody|nothing)\b/u, 0.1],
	[/\b(?:most|majority|mostly|largely|meist\w*|la plupart|la mayoria|la maggior)\b/u, 0.75],
	[/\b(?:a tenth|few|minority|little|hardly|rarely|wenige?|peu|poc[oa]s?|weinig)\b/u, 0.12],
]

/** The share that a level's label names. */
export const partIn = (folded: string): number | null =>
	VAGUE.find(([pattern]) => pattern.test(folded))?.[1] ?? shareIn(folded, true)
