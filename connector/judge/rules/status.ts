/** Options that are states ("delivered", "on its way"), and options of which the text says that one is in a state. */
import { NEGATION, phraseOf } from '../text/phrase.ts'
import { type Found, isEither, statesIn } from '../text/states.ts'
import type { Asked } from './asked.ts'

const LEFT = /\b(?:left|remaining|still there|ubrig|reste|queda|restano|over)\b/

/** How far before a state a negation stands that turns it. */
const REACH_WORDS = 3

export function statusOf(asked: Asked): number {
	const own = asked.options.map((option) => statesIn(phraseOf(option)))
	return own.every((states) => states.length) ? ofStates(asked, own) : ofThings(asked)
}

/** The text names one of the states, or denies the other of two. */
function ofStates({ clauses }: Asked, own: readonly Found[][]): number {
	const kinds = own.map((states) => new Set(states.map(({ kind }) => kind)))
	const common = [...kinds[0]!].filter((kind) => kinds.every((set) => set.has(kind)))
	const told = new Set<number>()
	for (const clause of clauses.map(phraseOf)) {
		for (const found of statesIn(clause).filter(({ kind }) => common.includes(kind))) {
			const denied = clause.marks.some(
				(mark, i) => mark & NEGATION && i < found.from && i >= found.from - REACH_WORDS,
			)
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
	const wanted = statesIn(phraseOf(LEFT.test(question) ? `${question} available` : question))
	for (const one of wanted) {
		const said = options.map((_, i) =>
			named[i]!.flatMap((place) =>
				statesIn(phraseOf(clauses[place]!)).filter(({ kind }) => kind === one.kind),
			),
		)
		const fitting = said.flatMap((states, i) => (states.some(({ state }) => state === one.state) ? [i] : []))
		const others = said.flatMap((states, i) => (states.some(({ state }) => state !== one.state) ? [] : [i]))
		if (fitting.length === 1) return fitting[0]!
		if (!fitting.length && others.length === 1 && options.length > 1) return others[0]!
	}
	return -1
}
