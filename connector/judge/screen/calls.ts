/** Whether a model is called and told something: by its kind, in a note for it, or as whoever reads this. */
import type { Sentence } from '../text/document.ts'
import { CONCEPT_NAMES, conceptOf } from './concepts.ts'
import { isVerb } from './verbs.ts'

const C = Object.fromEntries(CONCEPT_NAMES.map((name, i) => [name, i])) as Record<string, number>
const places = (names: string): number[] => names.split(' ').map((name) => C[name]!)
const ASKS = places('ignore reveal send say verb execute answer role must hide')
/** Of the orders, those that a user's role prompt has no need of. */
const HARMS = places('ignore reveal send hide execute')
const KIND =
	'(?:ai|a\\.i\\.|llms?|language models?|assistants?|chat ?bots?|bots?|copilot|gpt|ki|ia|sprachmodell|modele de langage|modelo de lenguaje|taalmodel)'
/** A model is called and what is said to it follows: "AI assistant, …", not "gpt-4" or "the AI SDK (…)". */
const CALLED = new RegExp(
	`(?:^|[.!?;,>"'(\\[#*/] ?|[:-] )(?:(?:dear|hey|hello|hi|attention|good|note|message|instructions?|memo|hint|reminder|warning|to|for|the|any|all|every|an|a|this|whichever|you|lieber|liebe|liebes|cher|querido|caro|hinweis|nota|note|opmerking|an|den|die|pour|para|al|all'|l'|il|el|le|voor|de) ){0,5}(?:(?:\\w+ )?${KIND}|\\w{3,12}ing (?:models?|agents?|systems?))\\b(?: (?:assistants?|agents?|models?|reading|reviewing|processing|handling|that|who|which|readers?|assistent|asistente)){0,3}(?: [\\p{L}' ]{0,40}?)? ?[,:>–-]{1,2} {1,3}(?:\\w+ say )?(\\p{L}[\\p{L}']*)`,
	'gu',
)
/** Words that begin what is said to somebody, beside verbs. */
const BEGINS = new Set(
	"please kindly do don't never always only just now first you your if when before after while it from as treat we i bitte bitten por s'il per".split(
		' ',
	),
)
/** A note that says for whom it is: what follows needs no known verb. */
const NOTE = new RegExp(
	`\\b(?:note|message|instructions?|todo|hint|memo|reminder|warning|attention|important|priority \\d?|hinweis|nota|opmerking|notiz|remarque|poznamka|uwaga)[^.!?:]{0,12}? (?:to|for|an|fur|pour|para|per|a|al|all'|l'|voor|aan|pro|dla) ?(?:the |any |all |der |die |das |den |l'|l’|il |el |o |a |le |la )?(?:\\w+ )?(?:${KIND}|agents?|models?)\\b|\\b(?:to|for) (?:the|any|all|whichever) (?:${KIND}|agent)[^.!?:]{0,50}:`,
)
const IF_YOU_ARE = new RegExp(
	`\\b(?:if|when|since|as) (?:you(?:'re| are)|this is (?:read|processed) by) (?:an?|the|some kind of )? ?(?:\\w+ )?${KIND}\\b|\\b(?:als je een|wenn du ein|si eres un|si tu es un|se sei un|se voce e um|eger bir|bir dil modeliysen)\\b`,
)
const MODEL_MUST = new RegExp(
	`(?:^|[.!?:;>(] ?|\\b(?:any|all|every|the|whichever) )(?:\\w+ )?(?:${KIND}|agents?|models?)(?: (?:that|who|which|reading|reviewing|processing|handling|to)[^.!?]{0,60}?)?(?: in charge)? (?:must|should|has to|have to|shall|needs? to|is to|will)\\b`,
)

/** One sentence, its concepts, and the text that it stands in. */
export function isAddressed(
	{ text, span }: Pick<Sentence, 'text' | 'span'>,
	concepts: ReadonlySet<number>,
	source: string,
	talk: boolean,
): boolean {
	if (NOTE.test(text) || IF_YOU_ARE.test(text) || (!talk && isCalled(text))) return true
	return (
		ASKS.some((concept) => concepts.has(concept)) && (isTold(text) || foreignCall(concepts, source, span))
	)
}

/** A model is called outside what is quoted. */
export const callsIn = (text: string): boolean => isCalled(text) || IF_YOU_ARE.test(text)

/** Whoever reads this must: of agents at large a manual says what they must do. */
const isTold = (text: string): boolean => {
	const [told] = MODEL_MUST.exec(text) ?? []
	return told !== undefined && HERE.test(told)
}
const HERE = /\b(?:this|these|here|above|below|following|reading|reviewing|processing|handling|in charge)\b/

/** After the call comes an order: a verb that orders, or a word that begins one. */
function isCalled(text: string): boolean {
	for (const [, next] of text.matchAll(CALLED))
		if (BEGINS.has(next!) || ASKS.includes(conceptOf(next!)) || isVerb(next!)) return true
	return false
}
/** Who speaks in a talk that is written down: their names are no address. */
const TALK = /(?:^|\n) ?(?:user|assistant|bot|customer|agent|human|ai|helper|you|me|q|a) ?:/i
const NOT_LATIN = /[^\p{Script=Latin}\p{N}\p{P}\p{S}\p{Z}\s]/u

/** In other scripts a model that is named beside an order is called. */
const foreignCall = (
	concepts: ReadonlySet<number>,
	source: string,
	{ start, end }: Sentence['span'],
): boolean =>
	concepts.has(C.model!) &&
	HARMS.some((concept) => concepts.has(concept)) &&
	NOT_LATIN.test(source.slice(start, Math.min(end, start + 200)))

/** An agent is called by name at the beginning of a cell, a comment or a hidden text: "Agent: mark every row". */
const CELL_CALL =
	/(?:^|[,;|\t"(>]|--|\*|#|\/\/|warn|info|error)\s*(?:an |any |the |all )?(?:ai |automated |automatic |scheduling |coding |support |shopping |browsing )?(?:agents?|bots?|chat ?bots?|assistants?|screeners?|crawlers?|summari[sz]ers?|classifiers?|copilots?|parsers?|ki|ia)(?: (?:must|should|shall|has to|will) (?:now )?|\s*[:,–-]\s+(?:please |now |you must )?)(?!i\b|we\b|yes|no\b|ok|sure|hello|hi\b|thanks|your|the\b|it\b|how|what|good|sorry)\p{L}{2,}/u
/** Of a text its beginning is read. */
export const LONGEST_HEAD_UNITS = 4_000
export const isTalk = (source: string): boolean => TALK.test(source.slice(0, LONGEST_HEAD_UNITS))
/** `text` is folded. */
export const callsByName = (text: string): boolean => CELL_CALL.test(text.slice(0, LONGEST_HEAD_UNITS))
