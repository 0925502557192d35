/**
 * Judges in a row: the first answers where it is sure, the next is asked about the rest. How sure is sure enough is a
 * threshold per tool, learned with the weights for a stated share of wrong answers. Where the next one cannot be had,
 * the answer of the one before stands, under its own name: a chain is never less available than its first link.
 */
import { type Judge, type Judged, JudgeError } from './types.ts'

/** Least probability of the answer given (lead of the best over the second for `find`) that needs no second opinion. */
export type Sure = Record<'verify' | 'screen' | 'find' | 'noul' | 'choice' | 'score', number>

export interface Link {
	judge: Judge
	sure: Sure
}

export function chainJudges(links: readonly Link[]): Judge {
	const [{ judge: first, sure }, ...rest] = links as [Link, ...Link[]]
	if (!rest.length) return first
	const next = chainJudges(rest)
	return {
		async verify({ claims, evidence }, signal) {
			const mine = await first.verify({ claims, evidence }, signal)
			const open = mine.results.flatMap(({ confidence }, i) => (confidence < sure.verify ? [i] : []))
			const theirs = await second(open.length > 0, () =>
				next.verify({ claims: open.map((i) => claims[i]!), evidence }, signal),
			)
			if (!theirs) return mine
			const results = mine.results.map((result, i) =>
				open.includes(i) ? theirs.results[open.indexOf(i)]! : result,
			)
			return { ...mine, results, judge: both(mine, theirs, open.length === claims.length) }
		},
		async screen(call, signal) {
			const mine = await first.screen(call, signal)
			const theirs = await second(unsure(mine.injection.probability, sure.screen), () =>
				next.screen(call, signal),
			)
			// The rules for substance are the first link's own in any case.
			return theirs ? { ...theirs, substance: mine.substance } : mine
		},
		async find(call, signal) {
			const mine = await first.find(call, signal)
			const [best = 0, other = 0] = mine.scores.toSorted((a, b) => b - a)
			return (await second(best - other < sure.find, () => next.find(call, signal))) ?? mine
		},
		async noul({ propositions, context }, signal) {
			const given = context === undefined ? {} : { context }
			const mine = await first.noul({ propositions, ...given }, signal)
			const open = mine.probabilities.flatMap((p, i) =>
				mine.basis === 'none' || unsure(p, sure.noul) ? [i] : [],
			)
			const theirs = await second(open.length > 0, () =>
				next.noul({ propositions: open.map((i) => propositions[i]!), ...given }, signal),
			)
			if (!theirs) return mine
			const probabilities = mine.probabilities.map((p, i) =>
				open.includes(i) ? theirs.probabilities[open.indexOf(i)]! : p,
			)
			return { ...theirs, probabilities, judge: both(mine, theirs, open.length === propositions.length) }
		},
		async choice(call, signal) {
			const mine = await first.choice(call, signal)
			const open = mine.basis === 'none' || Math.max(...mine.probabilities) < sure.choice
			return (await second(open, () => next.choice(call, signal))) ?? mine
		},
		async score(call, signal) {
			const mine = await first.score(call, signal)
			const open = mine.basis === 'none' || Math.max(...mine.probabilities) < sure.score
			return (await second(open, () => next.score(call, signal))) ?? mine
		},
		async close() {
			await Promise.all([first.close(), next.close()])
		},
	}
}

const unsure = (p: number, threshold: number): boolean => Math.max(p, 1 - p) < threshold

/** The next link's answer where it is wanted and can be had. */
async function second<T>(wanted: boolean, ask: () => Promise<T>): Promise<T | null> {
	if (!wanted) return null
	try {
		return await ask()
	} catch (error) {
		if (error instanceof JudgeError) return null
		throw error
	}
}

/** Who spoke: the second alone, or both. */
function both(mine: Judged<object>, theirs: Judged<object>, alone: boolean): Judged<object>['judge'] {
	if (alone) return theirs.judge
	return {
		backend: `${mine.judge.backend}+${theirs.judge.backend}`,
		calibration: `${mine.judge.calibration}+${theirs.judge.calibration}`,
	}
}
