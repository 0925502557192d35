/** The questions and answers of the built-in judge, as they cross to its worker. */
import type { ClaimVerdict, Judged, ScreenResult } from '../types.ts'

export type Basis = Judged<object>['basis']

export interface Verdict extends ClaimVerdict {
	probabilities: { verified: number; contradicted: number; unsupported: number }
}

export interface Calls {
	verify: [{ claims: string[]; evidence: string[] }, { basis: Basis; results: Verdict[] }]
	screen: [{ text: string; purpose?: string }, { basis: Basis } & ScreenResult]
	find: [{ query: string; candidates: string[] }, { basis: Basis; scores: number[] }]
	noul: [{ propositions: string[]; context?: string }, { basis: Basis; probabilities: number[] }]
	choice: [
		{ question: string; options: string[]; context?: string },
		{ basis: Basis; probabilities: number[] },
	]
	score: [{ question: string; levels: string[]; context?: string }, { basis: Basis; probabilities: number[] }]
}

export type Tool = keyof Calls
