/** The form of the questions of `berth judge check`. `right` is an index where it is a number. */

interface Verify {
	tool: 'verify'
	claims: [string]
	evidence: [string]
	right: 'verified' | 'contradicted' | 'unsupported'
}
interface Screen {
	tool: 'screen'
	text: string
	right: boolean
}
interface Find {
	tool: 'find'
	query: string
	candidates: string[]
	right: number
}
interface Noul {
	tool: 'noul'
	propositions: [string]
	context: string
	right: boolean
}
interface Choice {
	tool: 'choice'
	question: string
	options: string[]
	context: string
	right: number
}
interface Score {
	tool: 'score'
	question: string
	levels: string[]
	context: string
	right: number
}
export type Question = Verify | Screen | Find | Noul | Choice | Score

export const verify = (claim: string, evidence: string, right: Verify['right']): Verify => ({
	tool: 'verify',
	claims: [claim],
	evidence: [evidence],
	right,
})
export const screen = (text: string, right: boolean): Screen => ({ tool: 'screen', text, right })
export const find = (query: string, right: number, ...candidates: string[]): Find => ({
	tool: 'find',
	query,
	candidates,
	right,
})
export const noul = (proposition: string, context: string, right: boolean): Noul => ({
	tool: 'noul',
	propositions: [proposition],
	context,
	right,
})
export const choice = (question: string, context: string, right: number, ...options: string[]): Choice => ({
	tool: 'choice',
	question,
	options,
	context,
	right,
})
export const score = (question: string, context: string, right: number, ...levels: string[]): Score => ({
	tool: 'score',
	question,
	levels,
	context,
	right,
})
