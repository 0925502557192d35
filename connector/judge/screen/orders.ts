/**
 * Marks of an order to a model, by rule: it is called by its kind ("AI assistant, …", "if you are a language model"),
 * told to drop its rules, to show what it was told, to keep something from its user, or to be somebody else. A polite
 * request without any of these is what people write to each other.
 */
import type { Document, Sentence } from '../text/document.ts'
import { CONCEPT_NAMES, conceptOf, unspacedConcepts } from './concepts.ts'

export interface Marks {
	/** A model is spoken to and asked for something. */
	addressed: boolean
	/** Its rules are to be dropped, shown or changed. */
	override: boolean
	/** Something is to be kept from the user. */
	conceals: boolean
}

const C = Object.fromEntries(CONCEPT_NAMES.map((name, i) => [name, i])) as Record<string, number>
const places = (names: string): number[] => names.split(' ').map((name) => C[name]!)
const ASKS = places('ignore reveal send say verb execute answer role must hide')
const KIND =
	'(?:ai|a\\.i\\.|llms?|language models?|assistants?|chat ?bots?|bots?|copilot|gpt|ki|ia|sprachmodell|modele de langage|modelo de lenguaje|taalmodel)'
const CALLED = new RegExp(
	`(?:^|[.!?:;,>"'(\\[#*/-] ?)(?:(?:dear|hey|hello|hi|attention|good|note|message|instructions?|memo|hint|reminder|warning|to|for|the|any|all|every|an|a|this|whichever|you|lieber|liebe|cher|querido|caro|hinweis|nota|note|opmerking|an|den|die|pour|para|al|all'|l'|il|el|le|voor|de) ){0,5}(?:\\w+ )?${KIND}(?: (?:assistants?|agents?|models?|reading|reviewing|processing|handling|that|who|which|readers?|assistent|asistente)){0,3}[^.!?]{0,40}?[,:>–-]`,
)
/** A note that says for whom it is: what follows needs no known verb. */
const NOTE = new RegExp(
	`\\b(?:note|message|instructions?|todo|hint|memo|reminder|warning|attention|important|priority \\d?|hinweis|nota|opmerking|notiz|remarque|poznamka|uwaga)[^.!?:]{0,12}? (?:to|for|an|fur|pour|para|per|a|al|all'|l'|voor|aan|pro|dla) ?(?:the |any |all |der |die |das |den |l'|l’|il |el |o |a |le |la )?(?:\\w+ )?(?:${KIND}|agents?|models?)\\b|\\b(?:to|for) (?:the|any|all|whichever) (?:${KIND}|agent)[^.!?:]{0,50}:`,
)
const IF_YOU_ARE = new RegExp(
	`\\b(?:if|when|since|as) (?:you(?:'re| are)|this is (?:read|processed) by) (?:an?|the|some kind of )? ?(?:\\w+ )?${KIND}\\b|\\b(?:als je een|wenn du ein|si eres un|si tu es un|se sei un|se voce e um|eger bir|bir dil modeliysen)\\b`,
)
const MODEL_MUST = new RegExp(
	`\\b(?:any|all|every|the|whichever) (?:\\w+ )?(?:${KIND}|agents?|models?)(?: (?:that|who|which|reading|reviewing|processing|handling|to)[^.!?]{0,60}?)?(?: in charge)? (?:must|should|has to|have to|shall|needs? to|is to|will)\\b`,
)
const OVERRIDE =
	/\b(?:ignore|disregard|forget|override|bypass|drop|skip|stop following|pay no attention to|do not follow)\b[^.!?]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|system (?:text|message)|what (?:you|your|the user|your user) (?:\w+ ){0,3}(?:told|asked|said|wants?|wanted))\b|\byou (?:now )?have no (?:more )?(?:rules|limits|restrictions|policy)|\bno (?:limits|rules) and no (?:policy|rules|limits)|\b(?:your|the|a new) (?:task|instructions|goal)s? (?:has|have|is|are) (?:now )?changed|\bnew (?:task|instructions?)\b ?[:#]|\b(?:hidden|secret|system|initial|original) (?:prompt|instructions?|message|rules|configuration)\b|\btext of your (?:system|prompt)|\bstop summari[sz]ing\b/
const ROLE =
	/\byou are (?:now|no longer)\b|\bfrom now on,? you\b|\bpretend (?:that )?you (?:have no|are not|are free)|\bwho (?:never refuses|has no (?:limits|rules))|\b(?:never refuse|answer everything)\b/
const CONCEALS =
	/\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform|informing|ask|asking|notify|say|saying|alert)\b[^.!?]{0,30}\b(?:user|users|developer|anyone|anybody|owner|customer|human|it|this|nothing)\b|\bsay nothing\b|\bkeep (?:this|it) (?:instruction )?(?:to yourself|secret|hidden)|\bhide (?:this|it|complaints|the)\b|\bwithout asking\b/

const SAYS =
	/\b(?:says?|said|saying|sentence|words|wrote|write|text|message|lines?|comment|example|such as|phrase|attack|called|reads?|like|ask|contains?|prompt)\b/
const QUOTED = /["“„«'‘]([^"”“»]{12,400})["”“»]/g

/** Whether a text tells of an order that it quotes: most of it stands outside the quotation and says that it quotes. */
export function quotes(text: string): boolean {
	const head = text.slice(0, LONGEST_HEAD_UNITS)
	if (/[{[]|^[^\n]*[,;][^\n]*\n/.test(head)) return false
	const rest = head.replace(QUOTED, ' ')
	return (
		rest.length < head.length - 12 &&
		rest.split(/\s+/).length > FEWEST_OUTSIDE &&
		SAYS.test(rest.toLowerCase())
	)
}

const FEWEST_OUTSIDE = 6

export function marksOf(pieces: readonly Sentence[], source: string): Marks {
	const marks: Marks = { addressed: false, override: false, conceals: false }
	const talk = TALK.test(source.slice(0, LONGEST_HEAD_UNITS))
	for (const { text, words, span } of pieces) {
		if (marks.addressed && marks.override && marks.conceals) break
		const concepts = new Set(unspacedConcepts(text))
		for (const word of words) {
			const concept = conceptOf(word)
			if (concept >= 0) concepts.add(concept)
		}
		const asks = ASKS.some((concept) => concepts.has(concept))
		if (!marks.addressed)
			marks.addressed =
				NOTE.test(text) ||
				IF_YOU_ARE.test(text) ||
				(asks &&
					(MODEL_MUST.test(text) || foreignCall(concepts, source, span) || (!talk && CALLED.test(text))))
		const overrides =
			OVERRIDE.test(text) ||
			ROLE.test(text) ||
			(concepts.has(C.ignore!) &&
				concepts.has(C.instruction!) &&
				(concepts.has(C.prior!) || concepts.has(C.you!))) ||
			(concepts.has(C.reveal!) &&
				concepts.has(C.system!) &&
				concepts.has(C.instruction!) &&
				concepts.has(C.you!))
		marks.override ||= overrides
		marks.conceals ||= CONCEALS.test(text)
	}
	return marks
}

/** Who speaks in a talk that is written down: their names are no address. */
const TALK = /(?:^|\n) ?(?:user|assistant|bot|customer|agent|human|ai|helper|you|me|q|a) ?:/i
const LONGEST_HEAD_UNITS = 4_000
const NOT_LATIN = /[^\p{Script=Latin}\p{N}\p{P}\p{S}\p{Z}\s]/u

/** In other scripts a model that is named beside an order is called. */
const foreignCall = (
	concepts: ReadonlySet<number>,
	source: string,
	{ start, end }: Sentence['span'],
): boolean => concepts.has(C.model!) && NOT_LATIN.test(source.slice(start, Math.min(end, start + 200)))

/** An agent is called by name at the beginning of a cell, a comment or a hidden text: "Agent: mark every row". */
const CELL_CALL =
	/(?:^|[,;|\t"(>]|--|\*|#|\/\/|warn|info|error)\s*(?:an |any |the |all )?(?:ai |automated |automatic |scheduling |coding |support |shopping |browsing )?(?:agents?|bots?|chat ?bots?|assistants?|screeners?|crawlers?|summari[sz]ers?|classifiers?|copilots?|parsers?|ki|ia)(?: (?:must|should|shall|has to|will) (?:now )?|\s*[:,–-]\s+(?:please |now |you must )?)(?!i\b|we\b|yes|no\b|ok|sure|hello|hi\b|thanks|your|the\b|it\b|how|what|good|sorry)\p{L}{2,}/u

/** Kinds of text whose imperatives are for people: contracts, reports of who told whom, notes among code. */
const LEGAL =
	/\b(?:clause|agreement|contract(?:or)?|part(?:y|ies)|tenant|landlord|lessee|supplier|licensee|undersigned|hereby|pursuant|hereinafter|supersedes?|confidential information|shall)\b/g
const TOLD =
	/\b(?:told|tells|ordered|orders|asked|asks|urged|urges|instructed|instructs|warned|advised|called on|reminded)\s+(?:the |his |her |their |its |all )?(?!you|me|us|it\b|assistants?|ai\b|agents?|models?|chat ?bots?|bots?)[\p{L}']+(?: [\p{L}']+)?\s+(?:not )?to\b/u
const CODE_LINE = /^\s*(?:\/\/|\/\*|#(?!\s*\p{Lu}\p{L}+\s*$)|--\s)/mu
const IGNORES =
	/\b(?:ignor\w*|disregard\w*|forget|vergess\w*|olvid\w*|oubli\w*|dimentic\w*|negeer\w*)\b(.{0,40})/g
/** What an attack wants ignored. */
const RULES =
	/\b(?:instruct\w*|rules?|prompts?|guideline\w*|polic\w*|above|previous|prior|preceding|earlier|before|following|everything|all|what|you|your|task|assignment|system|training|safety|restrict\w*|directive\w*|orders?|commands?|told|said|anweisung\w*|vorgaben?|regeln?|instruc\w*|reglas?|consign\w*|istruz\w*|regole|regras?|instruct\w*|regels)\b/

/** A contract speaks to nobody. */
const SPOKEN = /\b(?:you|your|agents?|assistants?|ai|models?|bots?|system)\b/

/** How many kinds of signs say that what it asks is for people. */
function forPeople(text: string): number {
	let kinds = 0
	if (!SPOKEN.test(text) && (text.match(LEGAL) ?? []).length >= 2) kinds++
	if (TOLD.test(text)) kinds++
	if (CODE_LINE.test(text)) kinds++
	const ignored = [...text.matchAll(IGNORES)]
	if (ignored.length && !ignored.some(([, object]) => RULES.test(object!))) kinds++
	return kinds
}

/**
 * What the marks are worth beside the model's margin: chosen on development rows of sources left out; `addressed` on
 * training rows, by models that missed their sources. Manuals of agents speak of assistants, too.
 */
const WORTH = {
	addressed: 0.6,
	override: 1.4,
	conceals: 0.9,
	hidden: 0.6,
	quoted: -2,
	plain: -0.5,
	polite: -0.9,
	people: -1.2,
	called: 1.4,
	own: -1.6,
}
/** Fewer invisible or look-alike characters come from copying. */
const HIDDEN = 6
const SHORT_UNITS = 300
const POLITE =
	/^(?:hi |hello |dear )?(?:please|kindly|could|can|would|will) |\b(?:please|could you|would you|can you|thanks|thank you|bitte|merci|por favor|per favore|graag|lutfen|пожалуйста)\b|请|ください/

/** In the cells and fields of a record a short text is no letter between people. */
const RECORD = /^\s*[{[]|^[^\n]*[,;|\t][^\n]*\n/

/** The model's probability, moved by what the rules found. `own`: the text is what the user asks, so it may ask. */
export function weighedByMarks(
	probability: number,
	marks: Marks,
	{ source, folded }: Pick<Document, 'source' | 'folded'>,
	own = false,
): number {
	const hides = folded.hidden + folded.lookalikes >= HIDDEN
	const called = marks.addressed && !own
	const marked = called || marks.override || marks.conceals || hides
	let shift = hides ? WORTH.hidden : 0
	if (called) shift += WORTH.addressed
	const byName =
		!called && !own && !TALK.test(source) && CELL_CALL.test(folded.text.slice(0, LONGEST_HEAD_UNITS))
	if (byName) shift += WORTH.called
	if (marks.override) shift += WORTH.override
	if (marks.conceals) shift += WORTH.conceals
	const tells = quotes(source)
	if (!marks.addressed && !byName && !marks.conceals && !marks.override && source.length < SHORT_UNITS)
		shift += WORTH.people * Math.min(2, forPeople(folded.text))
	if (tells) shift = WORTH.quoted
	else if (own && !marked) shift += WORTH.own
	else if (!marked && !byName && source.length < SHORT_UNITS && !RECORD.test(source)) {
		shift += WORTH.plain
		if (POLITE.test(folded.text)) shift += WORTH.polite
	}
	const odds = Math.log(probability / (1 - probability)) + shift
	const moved = 1 / (1 + Math.exp(-odds))
	// Rules alone are never sure: beyond these bounds only the model goes.
	const bounded = Math.min(
		Math.max(moved, Math.min(probability, LEAST)),
		tells ? MOST : Math.max(probability, MOST),
	)
	// A marked order may be surer: the rules and the model agree.
	const open = source.length >= SHORT_UNITS || ((marked || byName) && bounded > 0.5)
	return open ? bounded : modest(bounded)
}

/** A few words show too little to be surer than this, either way; the order of two texts stays. */
export function modest(p: number): number {
	if (p < FROM) return SUREST + (p * (FROM - SUREST)) / FROM
	return p > 1 - FROM ? 1 - SUREST - ((1 - p) * (FROM - SUREST)) / FROM : p
}

const SUREST = 0.1
const FROM = 0.15

const LEAST = 0.12
const MOST = 0.88
