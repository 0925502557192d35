/**
 * What a rubric's levels are called: which scale they name and in which direction it runs. Tried in turn: words of a
 * known scale, numbers and stars, amounts ("not at all … very") of what the question asks, how good the labels sound.
 */
import { read } from '../text/document.ts'
import { leaning } from '../text/polarity.ts'

export interface Scale {
	name: string
	up: boolean
}

interface Sides {
	high: RegExp
	low: RegExp
}

/** What levels are called, beside the scales' own words; without the words in front that only say how much. */
const LEVELS: Record<string, Sides> = {
	same: {
		high: /^(same|identical|equivalent|the same|similar|match)/,
		low: /^(different|dissimilar|unrelated|unlike|distinct|opposite)/,
	},
	polite: {
		high: /^(polite|courteous|friendly|kind|hoflich|poli|educad|cortes|gentile|beleefd|вежлив|kibar)/,
		low: /^(rude|impolite|insulting|curt|unfriendly|offensive|unhoflich|impoli|maleducad|grosser|onbeleefd|груб|kaba)/,
	},
	good: {
		high: /^(good|great|excellent|positive?|positiv[aoe]?|positivo|positif|happy|satisfied|clean|content|zufrieden|gut|tevreden|goed|satisfait|bonne?|bien|buen[oa]?|bom|boa|soddisfatto|satisfech|satisfeit|довол|хорош|положит|memnun\b(?! degil)|iyi|olumlu|dobry|积极|满意|満足|like|love|best|delighted|enjoy)/,
		low: /^(bad|poor|terrible|awful|horrible|negative?|negativ[aoe]?|negativo|negatif|unhappy|dissatisfied|dirty|worst|unzufrieden|schlecht|ontevreden|slecht|insatisfait|mauvaise?|mal[oa]?\b|cattiv|insoddisfatto|insatisfech|insatisfeit|ruim|недовол|плох|отрицат|memnun degil|kotu|olumsuz|zly|消极|不满|不満|dislike|hate|sad|furious)/,
	},
	angry: {
		high: /^(angry|furious|upset|annoyed|wutend|enojad|en colere|arrabbiat|boos)/,
		low: /^(calm|relaxed|ruhig|tranquil|calme|calmo|rustig)/,
	},
	urgent: {
		high: /^(urgent|critical|pressing|immediate|at once|must be done|dringend|eilig|urgente|срочн|acil|spoed|pilne)/,
		low: /^(can wait|no hurry|no rush|whenever|nicht dringend|unwichtig)/,
	},
	formal: { high: /^(formal|formell)/, low: /^(informal|casual|colloquial|informell)/ },
	sure: {
		high: /^(certain|sure|confident|sicher|seguro|certo)/,
		low: /^(unsure|uncertain|doubtful|hesitant|unsicher|inseguro)/,
	},
	dear: {
		high: /^(expensive|costly|pricey|dear|teuer|caro|cher|duur|дорог|pahali|drogi)/,
		low: /^(cheap|inexpensive|affordable|gunstig|billig|barato|bon marche|economico|goedkoop|дешев|ucuz|tani)/,
	},
	safe: { high: /^(safe|harmless|secure)/, low: /^(dangerous|unsafe|harmful|risky|destructive)/ },
	severe: {
		high: /^(severe|extreme|serious|major|critical|grave|unbearable|schwer|ernst)/,
		low: /^(mild|light|minor|none|harmless|trivial|negligible|leicht|gering)/,
	},
	fast: {
		high: /^(fast|quick|rapid|schnell|rapid[oe]|veloce|snel|быстр|hizli|szybk)/,
		low: /^(slow|langsam|lent[oa]?|traag|медлен|yavas|woln)/,
	},
	yes: {
		high: /^(yes|ja|oui|si|sim|evet|да|tak|agree|true|right|correct)/,
		low: /^(no|nein|non|nao|nee|hayir|нет|nie|disagree|false|wrong|incorrect)\b/,
	},
	amount: {
		high: /^(high|highest|strong|strongly|a lot|much|lots|always|fully|completely|hoch|alto|likely|probable|entirely)/,
		low: /^(low|lowest|none|not at all|never|little|weak|hardly|nothing|zero|gar nicht|uberhaupt nicht|pas du tout|niedrig|bajo|basso|unlikely|improbable|no sign)/,
	},
}

const LOUDER =
	/^(?:(?:an?|the|very|extremely|completely|totally|absolutely|fully|rather|somewhat|quite|a bit|mostly|slightly|highly|most|more|perfectly|really|so|sehr|vollig|eher|ziemlich|muy|bastante|tres|plutot|molto|abbastanza|muito|bastante|heel|zeer|erg|очень|cok|bardzo) )+/
const DENIED = /^(?:(?:not at all|not|never|nicht|kein|pas|non|no|nao|niet|не|nie)\s+)(?=\p{L}{3})/u

/** 1 or −1 where the label is of a side; a denial turns it. */
function sideOf(label: string, { high, low }: Sides): number {
	if (high.test(label)) return 1
	if (low.test(label)) return -1
	const plain = label.replace(DENIED, '').replace(LOUDER, '')
	if (plain === label) return 0
	const turn = DENIED.test(label) ? -1 : 1
	return high.test(plain) ? turn : low.test(plain) ? -turn : 0
}

/** Scales of how a text is written, and of what it wants. */
const OF_A_TEXT = ['urgent', 'polite', 'formal', 'angry', 'sure']

/** The scale that one word names, and its side: "rude" is the low end of polite. */
export function levelOf(label: string): { name: string; side: number } | null {
	for (const name of OF_A_TEXT) {
		const side = sideOf(plainLabel(label), LEVELS[name]!)
		if (side) return { name, side }
	}
	return null
}

/** Whether the label names one side of praise and blame, 0 where neither. */
export const sideOfGood = (label: string): number => {
	for (const name of ['good', 'polite']) {
		const side = sideOf(label, LEVELS[name]!)
		if (side) return side
	}
	return 0
}

export const plainLabel = (label: string): string =>
	read(label)
		.folded.text.trim()
		.replace(/^[\d.:)\s-]+(?=\p{L}{3})/u, '')
		.replace(LOUDER, '')

/** The scale that the first and the last level name, and whether it runs upwards. Null: none that is known. */
export function scaleOf(levels: readonly string[], question: string): Scale | null {
	const [first, last] = [plainLabel(levels[0]!), plainLabel(levels.at(-1)!)]
	for (const [name, sides] of Object.entries(LEVELS)) {
		const [from, to] = [sideOf(first, sides), sideOf(last, sides)]
		// "no … severe" and "mild … unbearable" name one end of a scale; with two levels both must be named.
		if (from * to >= 0) continue
		return name === 'amount' || name === 'yes' ? askedFor(question, name, to > 0) : { name, up: to > 0 }
	}
	const numbers = levels.map(numberIn)
	if (numbers.every((value) => value !== null)) {
		const rise = numbers.at(-1)! - numbers[0]!
		// "priority 5 (lowest)": the words beside the numbers win.
		const ends = [levels[0]!, levels.at(-1)!].map((level) =>
			LOWEST.test(level) ? -1 : HIGHEST.test(level) ? 1 : 0,
		)
		const step = ends[1]! - ends[0]! || rise
		if (step) return askedFor(question, 'amount', step > 0) ?? { name: 'good', up: step > 0 }
	}
	const labels = [first, last].map((label) => label.split(/\s+/))
	if (labels.some(({ length }) => length > LONGEST_LABEL_WORDS)) return null
	const [low, high] = labels.map((label) => leaning(label, 'good'))
	const rise = high!.value - low!.value
	return Math.abs(rise) >= LEAST_RISE && low!.words && high!.words ? { name: 'good', up: rise > 0 } : null
}

const LOWEST = /lowest|worst|least/i
const HIGHEST = /highest|best|most/i
/** A longer label describes the text; how it sounds says nothing of the text. */
const LONGEST_LABEL_WORDS = 4
/** How much better the last label must sound than the first. */
const LEAST_RISE = 0.4

const ASKED: [string, boolean, RegExp][] = [
	['urgent', true, /urgen|priorit|hurry|pressing|dringend|eilig|срочн|acil/],
	['polite', false, /\brude|impolite|insult/],
	['polite', true, /polite|courte|friendly|hoflich/],
	['formal', true, /\bformal|formell/],
	['sure', true, /\bsure\b|certain|confiden/],
	['dear', true, /expensive|costly|\bprice|teuer|caro\b|cher\b|duur/],
	['safe', false, /danger|risk/],
	['severe', true, /severe|serious|severity|\bgrave/],
	['fast', true, /\bfast\b|quick|speed|schnell/],
	// Who is angry leaves, and who is content comes back.
	['good', false, /\blikely\b[^?]{0,60}\b(?:cancel|leav|quit|switch|complain|churn|unsubscrib)/],
	['good', true, /\blikely\b[^?]{0,60}\b(?:return|renew|stay|buy|order|book|visit)/],
	[
		'good',
		false,
		/negative|dissatisf|unhappy|angr|annoy|disappoint|\bbad\b|dislike|frustrat|unzufrieden|verarger|insatisf|ontevreden|недовол/,
	],
	[
		'good',
		true,
		/positive|satisf|happy|happi|\bgood\b|\bwell\b|\blike(?!l)|enjoy|recommend|sentiment|stars|rating|quality|zufrieden|gefall|gefiel|gut\b|content|gust|gost|piac|tevreden|довол|понрав|memnun|begen|zadowol|podoba|come back|again/,
	],
]

/** Amounts and yes or no are of what the question asks. */
function askedFor(question: string, name: string, up: boolean): Scale | null {
	const { text } = read(question.slice(0, LONGEST_QUESTION_UNITS)).folded
	const found = ASKED.find(([, , asked]) => asked.test(text))
	if (found) return { name: found[0], up: found[1] === up }
	return name === 'yes' && /agree|accept|confirm/.test(text) ? { name: 'yes', up } : null
}

const LONGEST_QUESTION_UNITS = 400

/** Levels of "no … yes", and whether they run so. */
export function answersOf(levels: readonly string[]): { up: boolean } | null {
	if (levels.length !== 2) return null
	const [from, to] = levels.map((level) => sideOf(plainLabel(level), LEVELS.yes!))
	return from! * to! < 0 ? { up: to! > 0 } : null
}

/** Places of options that are numbers of stars or amounts, from the least; null where they are not. */
export function inOrder(options: readonly string[]): number[] | null {
	const numbers = options.map(numberIn)
	const amounts = options.map((option) => sideOf(plainLabel(option), LEVELS.amount!))
	const stars = options.every((option) => /star|[★*]|^\W*\p{L}+\W*$/iu.test(option))
	const values = numbers.every((value) => value !== null) && stars ? numbers : amounts
	const places = options.map((_, i) => i).sort((a, b) => values[a]! - values[b]!)
	return new Set(values).size === options.length ? places : null
}

const SPELLED = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
function numberIn(label: string): number | null {
	const { text } = read(label).folded
	const digits = /(?:^|\s)(\d+)(?!\d)/.exec(text)
	if (digits) return Number(digits[1])
	const stars = text.match(/[★*]/gu)
	if (stars) return stars.length
	const spelled = SPELLED.findIndex((word) =>
		new RegExp(`^${word}\\b(?:$|.*(?:star|point|out of))`).test(text.trim()),
	)
	return spelled < 0 ? null : spelled
}
