/** Options that are states ("delivered", "on its way"), and options of which the text says that one is in a state. */
import { type Phrase, phraseOf } from '../text/phrase.ts'
import { type Found, isEither, isNegation, statesIn } from '../text/states.ts'
import type { Asked } from './asked.ts'

const LEFT =
	/\b(?:left|over)\??$|\b(?:is|are) (?:still )?left\b|\b(?:remaining|still there|ubrig|reste|queda|restano)\b/
/** What was, will be or may be says nothing of the state that holds. */
const ELSEWHEN =
	/\b(?:if|unless|until|will|would|may|might|can|could|should|yesterday|last (?:week|month|year)|used to|wird|falls|gestern|kann|soll|si|sera|peut|hier|puede|ayer|sara|puo|ieri)\b/

const IN_ORDER =
	/\b(?:first|last|zuerst|zuletzt|premier|premiere|dernier|derniere|primer[oa]|ultim[oa]|primo|prima|eerst|laatst)\b/
const ANEW = /\b(?:again|reopened|wieder)\b/

/** How far before a state a negation stands that turns it. */
const REACH_WORDS = 3

export function statusOf(asked: Asked): number {
	const own = asked.options.map((option) => statesIn(phraseOf(option)))
	return own.every((states) => states.length) ? ofStates(asked, own) : ofThings(asked)
}

/** The text names one of the states, or denies the other of two. */
function ofStates({ clauses, text: whole }: Asked, own: readonly Found[][]): number {
	if (ANEW.test(whole)) return -1
	const kinds = own.map((states) => new Set(states.map(({ kind }) => kind)))
	const common = [...kinds[0]!].filter((kind) => kinds.every((set) => set.has(kind)))
	const told = new Set<number>()
	for (const text of clauses) {
		const clause = phraseOf(text)
		for (const found of statesIn(clause).filter(({ kind }) => common.includes(kind))) {
			if (ELSEWHEN.test(text)) return -1
			const denied = isDenied(clause, found)
			const fitting = own.flatMap((states, i) =>
				states.some(({ state }) => (state === found.state) !== denied) ? [i] : [],
			)
			if (denied && !isEither(found)) return -1
			if (fitting.length !== 1) return -1
			told.add(fitting[0]!)
		}
	}
	const [only, more] = told
	return more === undefined ? (only ?? -1) : -1
}

/** "Which size is left?": the clauses that name the options give each a state. */
function ofThings({ question, clauses, named, options }: Asked): number {
	// Of several that arrived, one was last.
	if (IN_ORDER.test(question)) return -1
	const asked = phraseOf(LEFT.test(question) ? `${question} available` : question)
	for (const one of statesIn(asked)) {
		const wanted = !isDenied(asked, one)
		const said = options.map((_, i) => named[i]!.flatMap((place) => holdsIn(clauses[place]!, one)))
		if (said.flat().includes(null)) return -1
		const fitting = said.flatMap((list, i) => (list.includes(wanted) ? [i] : []))
		const others = said.flatMap((list, i) => (list.includes(!wanted) ? [] : [i]))
		if (fitting.length === 1) return fitting[0]!
		if (!fitting.length && others.length === 1 && options.length > 1) return others[0]!
	}
	return -1
}

/** Whether the clause says that it is in this state; null where it is of another time, or denies a third state. */
function holdsIn(text: string, one: Found): (boolean | null)[] {
	const clause = phraseOf(text)
	return statesIn(clause)
		.filter(({ kind }) => kind === one.kind)
		.map((found) => {
			const [same, denied] = [found.state === one.state, isDenied(clause, found)]
			if (ELSEWHEN.test(text) || ANEW.test(text) || (denied && !same && !isEither(found))) return null
			return same !== denied
		})
}

const isDenied = (of: Phrase, { from, to }: Found): boolean =>
	of.words.some((_, i) => isNegation(of, i) && i >= from - REACH_WORDS && (i < from || i === to))
