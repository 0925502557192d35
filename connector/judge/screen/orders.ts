/**
 * Marks of an order to a model, by rule: it is called by its kind ("AI assistant, …", "if you are a language model"),
 * told to drop its rules, to show what it was told, to keep something from its user, or to be somebody else. A polite
 * request without any of these is what people write to each other.
 */
import type { Sentence } from '../text/document.ts'
import { isAddressed, isTalk } from './calls.ts'
import { CONCEPT_NAMES, conceptOf, unspacedConcepts } from './concepts.ts'
import { TOLD } from './people.ts'

export interface Marks {
	/** A model is spoken to and asked for something. */
	addressed: boolean
	/** Its rules are to be dropped, shown or changed. */
	override: boolean
	/** Something is to be kept from the user. */
	conceals: boolean
}
const C = Object.fromEntries(CONCEPT_NAMES.map((name, i) => [name, i])) as Record<string, number>
const OVERRIDE =
	/\b(?:ignore|disregard|forget|override|bypass|drop|skip|stop following|pay no attention to|do not follow)\b[^.!?]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|system (?:text|message)|what (?:you|your|the user|your user) (?:\w+ ){0,3}(?:told|asked|said|wants?|wanted))\b|\byou (?:now )?have no (?:more )?(?:rules|limits|restrictions|policy)|\bno (?:limits|rules) and no (?:policy|rules|limits)|\b(?:your|the|a new) (?:task|instructions|goal)s? (?:has|have|is|are) (?:now )?changed|\bnew (?:task|instructions?)\b ?[:#]|\b(?:hidden|secret|system|initial|original) (?:prompt|instructions?|message|rules|configuration)\b|\btext of your (?:system|prompt)|\bstop summari[sz]ing\b/
export const ROLE =
	/\byou are (?:now|no longer)\b|\bfrom now on,? you\b|\bpretend (?:that )?you (?:have no|are not|are free)|\bwho (?:never refuses|has no (?:limits|rules))|\b(?:never refuse|answer everything)\b/
export const CONCEALS =
	/\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform|informing|ask|asking|notify|say|saying|alert)\b[^.!?]{0,30}\b(?:user|users|developer|anyone|anybody|owner|customer|human|it|this|nothing)\b|\bsay nothing (?:about|of|on|to)\b|\bkeep (?:this|it) (?:instruction )?(?:to yourself|secret|hidden)|\bhide (?:this|it|complaints)\b|\bhide the \w+ (?:\w+ )?from\b|\bwithout asking\b/
export function marksOf(pieces: readonly Sentence[], source: string): Marks {
	const marks: Marks = { addressed: false, override: false, conceals: false }
	const talk = isTalk(source)
	for (const { text, words, span } of pieces) {
		if (marks.addressed && marks.override && marks.conceals) break
		const concepts = new Set(unspacedConcepts(text))
		for (const word of words) {
			const concept = conceptOf(word)
			if (concept >= 0) concepts.add(concept)
		}
		marks.addressed ||= isAddressed({ text, span }, concepts, source, talk)
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
		marks.override ||= overrides && !TOLD.test(text)
		marks.conceals ||= CONCEALS.test(text)
	}
	return marks
}
