/**
 * What plain reading says of the options of a question on a short text: the clause that has the question's words names
 * the answer, "when" and "who" want their kind, and an option may name a notion of the text in other words.
 */
import { hasWord } from '../rules/asked.ts'
import { deniedOf } from '../rules/picks.ts'
import { fold } from '../text/fold.ts'
import { areSynonyms } from '../text/lexicon.ts'
import { notionsIn } from '../text/notions.ts'
import { FUNCTION, NAME, NEGATION, NUMBER, type Phrase, phraseOf } from '../text/phrase.ts'

const LONGEST_CONTEXT_UNITS = 600
const OF_CLAUSE = 1.5
const OF_KIND = 1
const OF_NOTION = 1.5
/** "Not because of the pay": named, but no answer. */
const OF_DENIED = 8

/** To be added to the margins of the options; sums to 0. */
export function hintsOn(question: string, options: readonly string[], context: string): number[] {
	if (context.length > LONGEST_CONTEXT_UNITS) return options.map(() => 0)
	const asked = phraseOf(question)
	const phrases = options.map(phraseOf)
	const clauses = clausesOf(context)
	const clause = phrases.map((option) => clauseOf(asked, option, clauses))
	const kinds = phrases.map((option, i) => kindOf(question, option, options[i]!))
	const notions = namedBy(phrases, phraseOf(context))
	const denied = deniedOf(question, options, context)
	const hints = options.map(
		(_, i) =>
			OF_CLAUSE * clause[i]! + OF_KIND * kinds[i]! + OF_NOTION * notions[i]! - (denied[i] ? OF_DENIED : 0),
	)
	const mean = hints.reduce((sum, hint) => sum + hint, 0) / hints.length
	return hints.map((hint) => hint - mean)
}

/** Parts between stops, commas and "but"; a name before a colon stays with what it says. */
const clausesOf = (context: string): Phrase[] =>
	context
		.split(
			/[.!?;\n]+\s|[,;\n]\s?|\s(?:but|while|whereas|and|aber|und|pero|y|mais|et|ma|e|maar|en|но|и|ama|ve)\s/iu,
		)
		.filter((part) => part.trim())
		.map(phraseOf)

/**
 * The option that alone stands in a clause with half of the question, or −1. Of "where" the last clause counts, see latest.ts.
 * On development rows of unknown sources it is right 88 times of 100.
 */
export function onlyOneBeside(question: string, options: readonly string[], context: string): number {
	if (options.length < 2 || context.length > LONGEST_CONTEXT_UNITS) return -1
	const folded = fold(question).text
	const text = fold(context).text
	if (WHERE.test(question) || BESIDES.test(folded) || FORMER.test(text)) return -1
	const asked = phraseOf(question)
	if (asked.words.some((word) => ENDS.has(word) && !hasWord(text, word))) return -1
	const phrases = options.map((option) => phraseOf(option.length < SHORTEST_UNITS ? `${option} .` : option))
	const clauses = clausesOf(context)
	for (const loose of [false, true]) {
		const found = phrases.map((option) => clauseOf(asked, option, clauses, loose))
		const top = found.indexOf(Math.max(...found))
		if (found[top]! < HALF || !found.every((share, i) => i === top || share === 0)) continue
		const named = clauses.filter((clause) => clauseOf(asked, phrases[top]!, [clause], loose) >= HALF)
		if (named.every((clause) => isDenied(clause) === isDenied(asked))) return top
		// "Ann did not sign": of two it is the other.
		return options.length === 2 && named.every((clause) => isDenied(clause) !== isDenied(asked))
			? 1 - top
			: -1
	}
	return -1
}

const isDenied = ({ marks, words }: Phrase): boolean =>
	marks.some((mark, i) => mark & NEGATION && !WITHOUT.has(words[i]!))

/** "Ann signed it without reading it": she did. */
const WITHOUT = new Set('without nor ohne sans sin zonder без'.split(' '))

/** Asked for another than the one that is named. */
const BESIDES = /\b(?:else|besides|apart from|other than|except|ausser|sauf|excepto|salvo|кроме)\b/u
/** What was so, or was meant to be. */
const FORMER =
	/\b(?:used to|formerly|previously|originally|was planned|were planned|was to be|fruher|ursprunglich|auparavant|anteriormente)\b/
/** Of an order: who was last is not who is named with a time. */
const ENDS = new Set(
	'first last latest earliest most least zuerst zuletzt premier premiere dernier derniere primero primera ultimo ultima primo prima'.split(
		' ',
	),
)

/** Of fewer no sentence is made, see sentences.ts: "6", "L". */
const SHORTEST_UNITS = 3
const WHERE = /^\P{L}*(?:where|wo|donde|d\u00f3nde|o\u00f9|dove|onde|waar|где|nerede|gdzie)\b/iu
const HALF = 0.5

/** How much of the question the best clause has that names the option; 0 where none names it. `loose`: notions count, too. */
function clauseOf(asked: Phrase, option: Phrase, clauses: readonly Phrase[], loose = true): number {
	const own = contentOf(option)
	if (!own.length) return 0
	const wanted = contentOf(asked).filter((i) => !option.places.has(asked.stems[i]!))
	const total = wanted.reduce((sum, i) => sum + asked.weights[i]!, 0)
	if (!total) return 0
	let best = 0
	for (const clause of clauses) {
		const there = own.filter((i) => clause.places.has(option.stems[i]!)).length / own.length
		if (there < WHOLE) continue
		const notions = new Set(notionsIn(clause.words).map(({ id }) => id))
		const alike = new Set(
			notionsIn(loose ? asked.words : []).flatMap(({ id, from, to }) =>
				notions.has(id) ? Array.from({ length: to - from }, (_, k) => from + k) : [],
			),
		)
		const found = wanted.reduce(
			(sum, i) => sum + (alike.has(i) || has(clause, asked, i) ? asked.weights[i]! : 0),
			0,
		)
		best = Math.max(best, (there * found) / total)
	}
	return best
}

/** Share of an option's words that a clause must have to name it. */
const WHOLE = 0.6

const has = (clause: Phrase, asked: Phrase, i: number): boolean =>
	clause.places.has(asked.stems[i]!) || clause.ids.some((id) => areSynonyms(id, asked.ids[i]!))

const contentOf = ({ marks, words }: Phrase): number[] =>
	words.flatMap((_, i) => (marks[i]! & FUNCTION ? [] : [i]))

const KINDS: [RegExp, (option: Phrase, text: string) => boolean][] = [
	[
		/^(?:when|wann|cuando|quand|quando|wanneer|когда|ne zaman|kiedy|on which day|what time|what date|since when)\b/iu,
		(option, text) => option.marks.some((mark) => mark & NUMBER) || TIMES.test(text),
	],
	[
		/^(?:how (?:many|much|old|far|long|often)|wie (?:viele?|lange|oft|alt)|cuant|combien|quant[oiae]|hoeveel|сколько|kac|ne kadar|ile)\b/iu,
		(option, text) => option.marks.some((mark) => mark & NUMBER) || COUNTS.test(text),
	],
	[
		/^(?:who|whom|whose|wer|wem|wen|quien|qui|chi|quem|wie is|wie heeft|кто|kim|kto)\b/iu,
		(option, text) => option.marks.some((mark) => mark & NAME) || PERSONS.test(text),
	],
]
const TIMES =
	/day|month|year|week|morning|evening|noon|night|january|february|march|april|may|june|july|august|september|october|november|december|tomorrow|today|yesterday|spring|summer|autumn|winter|tag|woche|monat|jahr|lunes|martes|lundi|mardi|salı|pazartesi|понедельник|вторник/i
const COUNTS =
	/\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|times|none|no|half|hour|day|week|month|year|ein|eine|zwei|drei|une?|deux|trois|dos|tres|due|tre|dois)\b/i
const PERSONS =
	/^(?:the |an? )?(?:\p{Lu}\p{L}+|\p{L}+(?:er|or|ist|ant|ee|man|woman)s?\b|nobody|everyone|women|men|adults|children)/u

/** 1 where the option is of the kind that the question asks for. */
function kindOf(question: string, option: Phrase, text: string): number {
	const kind = KINDS.find(([pattern]) => pattern.test(question.trim()))
	return kind?.[1](option, text) ? 1 : 0
}

const LABEL_WORDS = 5

/** Share of an option's notions that the text names, those of few options above all. */
function namedBy(options: readonly Phrase[], context: Phrase): number[] {
	if (options.some(({ words }) => words.length > LABEL_WORDS)) return options.map(() => 0)
	const there = new Set(notionsIn(context.words).map(({ id }) => id))
	const sets = options.map(({ words }) => new Set(notionsIn(words).map(({ id }) => id)))
	return sets.map((set) => {
		const found = [...set].filter((id) => there.has(id))
		const telling = found.reduce((sum, id) => sum + 1 / sets.filter((other) => other.has(id)).length, 0)
		return set.size ? telling / set.size : 0
	})
}
