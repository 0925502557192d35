/**
 * Propositions about a text rather than what it tells of: its language, what it contains, whether it asks, whether it
 * praises, what it is about. The probability that it is so; null where the proposition is of another kind.
 */
import { fold } from '../text/fold.ts'
import { languageOf } from '../text/languages.ts'
import { isTopic, NOTIONS, notionsIn } from '../text/notions.ts'
import { LANGUAGES } from '../text/stopwords.ts'
import { tokenize } from '../text/tokens.ts'
import { actIn } from './acts.ts'

const YES = 0.92
const NO = 0.08
/** One notion of the matter may be named by chance, and a text on it may name none that is known. */
const ABOUT = 0.85
const NOT_ABOUT = 0.2
/** "About tennis" of a text with a word of sport: the matter is a kind of the notion. */
const ABOUT_A_KIND = 0.65

const TEXT =
	'text|message|document|review|e-?mail|mail|letter|post|comment|article|note|ticket|request|paragraph|passage|sentence|feedback|chat|page|nachricht|dokument|bewertung|brief|kommentar|artikel|texte|avis|commentaire|lettre|texto|mensaje|resena|correo|documento|testo|messaggio|recensione|commento|mensagem|bericht|текст|сообщение|отзыв|metin|mesaj|tekst|wiadomosc'
const PERSON = 'writer|author|sender|user|customer|person|speaker|verfasser|autor|kunde|auteur|cliente|autore'
const SUBJECT = new RegExp(
	`^(?:the |this |der |die |das |diese[rs]? |le |la |l'|el |este |il |lo |o |a |de |het )?(?:${TEXT}|${PERSON}) (.+)$`,
	'u',
)
/** "Does the text contain a date?" */
const ASKED = new RegExp(
	`^(?:is|does|has|ist|hat|enthalt) ((?:the |this |der |die |das )?(?:${TEXT}|${PERSON})) (.+)$`,
	'u',
)
const NEGATED =
	/\b(?:not|n't|no|kein|keine|keinen|nicht|pas|aucun|aucune|ne|non|nessun|nessuna|ningun|ninguna|nao|geen|niet|не)\b|n't\b/u

const NAMES: Record<string, string> = {
	en: 'english|englisch|auf englisch|anglais|ingles|inglese|engels|английск\\p{L}*|ingilizce|angielsk\\p{L}*',
	de: 'german|deutsch|allemand|aleman|tedesco|alemao|duits|немецк\\p{L}*|almanca|niemieck\\p{L}*',
	fr: 'french|franzosisch|francais|frances|francese|frans|французск\\p{L}*|fransizca|francusk\\p{L}*',
	es: 'spanish|spanisch|espagnol|espanol|castellano|spagnolo|espanhol|spaans|испанск\\p{L}*|ispanyolca|hiszpansk\\p{L}*',
	it: 'italian|italienisch|italien|italiano|italiaans|итальянск\\p{L}*|italyanca|wlosk\\p{L}*',
	pt: 'portuguese|portugiesisch|portugais|portugues|portoghese|portugees|португальск\\p{L}*|portekizce|portugalsk\\p{L}*',
	nl: 'dutch|niederlandisch|neerlandais|neerlandes|holandes|olandese|nederlands|нидерландск\\p{L}*|hollandaca|niderlandzk\\p{L}*',
	ru: 'russian|russisch|russe|ruso|russo|русск\\p{L}*|rusca|rosyjsk\\p{L}*',
	tr: 'turkish|turkisch|turc|turco|turks|турецк\\p{L}*|turkce|tureck\\p{L}*',
}
const IN_LANGUAGE = /(?:\b(?:in|auf|en|in het|em|po)\b|^is|^ist|^est|^es|^e) /u

const CONTAINS =
	/\b(?:contains?|containing|mentions?|names?|includes?|gives?|states?|shows?|has|have|enthalt|nennt|erwahnt|contient|mentionne|donne|contiene|menciona|da|nomina|menziona|contem|bevat|noemt|содержит|iceriyor|zawiera)\b/u

/** What is asked for, and what shows it in the folded text. */
const PARTS: [wanted: RegExp, sign: RegExp][] = [
	[/e-?mail|mail address|correo|courriel/u, /[\p{L}\p{N}_%+-]@[\p{L}\p{N}-]{1,63}\.\p{L}/u],
	[
		/phone|telefon|telephone|rufnummer|numero de telefono|cell number/u,
		/(?:\+|\b0)\d[\d ()/-]{5,18}\d|\b\d{3}[ -]\d{3,4}(?:[ -]\d{2,4})?\b/u,
	],
	[
		/\b(?:url|link|web ?address|website|webseite|lien|enlace)\b/u,
		/https?:\/\/|\bwww\.|[\p{L}\p{N}]\.(?:com|org|net|de|fr|es|it|io|example)\b/u,
	],
	[
		/price|amount of money|sum of money|cost|preis|geldbetrag|prix|precio|prezzo|preco|prijs|цен|fiyat|cena/u,
		/[€$£¥₽₺]\s?\d|\d\s?(?:€|\$|£|¥|₽|₺|euros?\b|eur\b|usd\b|gbp\b|chf\b|dollars?\b|pounds?\b|cents?\b|francs?\b|lira|рубл|zl\b|zloty)/u,
	],
	[
		/percent|prozent|pourcentage|porcentaje|percentuale/u,
		/\d\s?(?:%|percent|per cent|prozent|pour cent|por ciento|per cento|procent|процент)/u,
	],
	[
		/\b(?:date|datum|fecha|data)\b/u,
		/\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]?(?:\d{2,4})?\b|\b\d{1,2}(?:st|nd|rd|th|\.|er|o)? (?:of |de )?(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ene|abr|ago|dic|fev|avr|juin|juil|aout|gen|mag|giu|lug|set|ott|dez|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек)\p{L}*|\b(?:january|february|march|april|june|july|august|september|october|november|december) \d{1,2}\b/u,
	],
	[
		/\b(?:time of day|time|uhrzeit|heure|hora|ora)\b/u,
		/\b\d{1,2}:\d{2}\b|\b\d{1,2} ?(?:am|pm|a\.m|p\.m|uhr|h)\b/u,
	],
	[/\b(?:question|frage|pregunta|domanda|pergunta|vraag)\b/u, /[?？]/u],
	[/\b(?:number|zahl|chiffre|numero|cijfer|digits?)\b/u, /\d/u],
	[/\b(?:iban|bank account)\b/u, /\b[a-z]{2}\d{2}(?: ?[\p{L}\p{N}]{4}){3,7}/u],
	[/\b(?:emoji|emoticon|smiley)\b/u, /\p{Extended_Pictographic}|[:;]-?[()dp]/u],
]
const ASKS =
	/^(?:asks?|is asking|stellt|pose|hace|fa|faz|stelt) (?:a |an |eine |une |una |uma |een )?(?:question|frage|pregunta|domanda|pergunta|vraag)|^is (?:a |phrased as a )?question/u
const ABOUT_IT =
	/\b(?:(?:is|are|talks?|speaks?|writes?) about|deals with|concerns?|(?:the )?(?:topic|subject) is|handelt von|geht um|parle de|traite de|trata de|trata sobre|habla de|parla di|riguarda|fala de|fala sobre|gaat over|o)\b (.+)$/u

export function ofText(proposition: string, context: string): number | null {
	const folded = fold(proposition)
		.text.trim()
		.replace(/[.!?]+$/, '')
	const turned = ASKED.exec(folded)
	const said = SUBJECT.exec(turned ? `${turned[1]} ${turned[2]}` : folded)?.[1]
	if (!said || said.length > LONGEST_PREDICATE_UNITS) return null
	const holds = predicate(said, () => fold(context.slice(0, MOST_UNITS_READ)).text)
	if (holds === null) return null
	return NEGATED.test(said) ? 1 - holds : holds
}

const LONGEST_PREDICATE_UNITS = 80
/** Of a long text the beginning. */
const MOST_UNITS_READ = 20_000

/** `text` is folded when it is asked for: most propositions are of another kind. */
function predicate(said: string, text: () => string): number | null {
	const language = languageNamed(said)
	if (language !== null) return isIn(language, text())
	if (ASKS.test(said)) return /[?？]/.test(text()) ? YES : NO
	if (CONTAINS.test(said)) {
		const part = PARTS.find(([wanted]) => wanted.test(said))
		// "Mentions a date of birth" wants more than a date.
		const { length } = tokenize(said.replace(/^(?:does not|do not|doesn't) /, '')).words
		if (part && length <= MOST_PART_WORDS) return part[1].test(text()) ? YES : NO
	}
	const act = actIn(said, text)
	if (act !== null) return act
	const about = ABOUT_IT.exec(said)?.[1]
	return about ? isAbout(about, text()) : null
}

const MOST_PART_WORDS = 5

function languageNamed(said: string): string | null {
	if (!IN_LANGUAGE.test(said) || tokenize(said).words.length > MOST_PART_WORDS) return null
	for (const [language, names] of Object.entries(NAMES))
		if (new RegExp(`(?:^|[^\\p{L}])(?:${names})$`, 'u').test(said)) return language
	return null
}

const OF_LANGUAGE = /\b(?:language|sprache|langue|idioma|lengua|lingua|taal|dilde?|jezyku?)\b|язык/u

/** "Which language is the note written in?": the option that names it, or −1. */
export function languageAmong(question: string, options: readonly string[], context: string): number {
	if (!OF_LANGUAGE.test(fold(question).text)) return -1
	const { words } = tokenize(fold(context).text)
	const found = words.length < FEWEST_WORDS ? undefined : NAMES[LANGUAGES[languageOf(words)]!]
	if (!found) return -1
	const named = new RegExp(`^(?:in |auf |en )?(?:${found})$`, 'u')
	const places = options.flatMap((option, i) => (named.test(fold(option).text.trim()) ? [i] : []))
	return places.length === 1 ? places[0]! : -1
}

function isIn(language: string, text: string): number {
	const { words } = tokenize(text)
	if (!words.length) return 0.5
	const found = LANGUAGES[languageOf(words)]
	// Two words may be of several languages.
	const sure = words.length >= FEWEST_WORDS ? YES : 0.7
	return found === language ? sure : 1 - sure
}

const FEWEST_WORDS = 4
const LONGEST_UNITS = 1_000

function isAbout(matter: string, text: string): number | null {
	if (text.length > LONGEST_UNITS) return null
	const { words, stems } = tokenize(matter)
	const called = [...words, ...stems].map((word) => NOTIONS.indexOf(word)).filter((id) => id >= 0)
	const wanted = [...called, ...notionsIn(words).map(({ id }) => id)]
	if (!wanted.length) return null
	const there = new Set(notionsIn(tokenize(text).words).map(({ id }) => id))
	const found = wanted.filter((id) => there.has(id))
	if (!found.length) return there.size ? NOT_ABOUT : null
	return found.some((id) => called.includes(id) || !isTopic(id)) ? ABOUT : ABOUT_A_KIND
}
