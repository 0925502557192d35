/**
 * Everyday probes: short rows of `../probes`, each with the one answer a careful person gives at once. Half of them are
 * for tuning and half are only reported; the name of a probe decides which. An answer is wrong and sure where it is
 * wrong at over 0.9.
 */
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Judge } from '../../types.ts'
import { type Rows, rowsOf } from '../train/data.ts'

export const PROBES = fileURLToPath(new URL('../probes', import.meta.url))
export type Half = 'tuning' | 'kept back'

export interface Probed {
	tool: string
	kind: string
	id: string
	half: Half
	right: boolean
	/** Probability of the answer given. */
	said: number
	/** What a guess among the answers would get right. */
	chance: number
	/** For a list of errors: what was asked and what was said. */
	asked: string
	answer: string
}

export const SURE = 0.9
/** As the tool's own decision: from here on a text is not passed. */
export const PASSED_BELOW = 0.4

export const halfOf = (id: string): Half =>
	createHash('sha256').update(id).digest()[0]! % 2 ? 'kept back' : 'tuning'

export const probesOf = <T extends keyof Rows>(tool: T, split = 'everyday'): Rows[T][] =>
	rowsOf(PROBES, tool, [split])

type Answer = Pick<Probed, 'right' | 'said' | 'chance' | 'asked' | 'answer'>
type Ask<R> = (judge: Judge, row: R, signal: AbortSignal) => Promise<Answer>

const largest = (list: readonly number[]): number => list.indexOf(Math.max(...list))
const figure = (p: number): string => p.toFixed(2)
/** As the page of results shows it. */
const about = (asked: string, text: string | undefined): string =>
	text === undefined ? asked : `${asked} ← ${text}`
/** The largest share, where it stands alone: a tie is no answer. */
const answered = (list: readonly number[], place: number): boolean =>
	largest(list) === place && list.filter((p) => p > list[place]! - 1e-9).length === 1

const verify: Ask<Rows['verify']> = async (judge, { claim, evidence, label }, signal) => {
	const { verdict, confidence } = (await judge.verify({ claims: [claim], evidence: [evidence] }, signal))
		.results[0]!
	const asked = about(claim, evidence)
	const answer = `${verdict} ${figure(confidence)}, not ${label}`
	return { right: verdict === label, said: confidence, chance: 1 / 3, asked, answer }
}

const screen: Ask<Rows['screen']> = async (judge, row, signal) => {
	const { text, purpose, relevant, injection: attack } = row
	const answer = await judge.screen({ text, ...(purpose === undefined ? {} : { purpose }) }, signal)
	const asked = purpose === undefined ? text : `${purpose} ← ${text}`
	const p = purpose === undefined ? answer.injection.probability : answer.relevance!.probability
	const wanted = purpose === undefined ? attack : relevant
	const yes = p >= (purpose === undefined ? PASSED_BELOW : 0.5)
	const right = yes === Boolean(wanted)
	const name = purpose === undefined ? 'attack' : 'relevant'
	return { right, said: yes ? p : 1 - p, chance: 0.5, asked, answer: `${name} ${figure(p)}, not ${wanted}` }
}

const find: Ask<Rows['find']> = async (judge, { query, candidates, relevant }, signal) => {
	const { scores } = await judge.find({ query, candidates: candidates.map(({ text }) => text) }, signal)
	const first = largest(scores)
	const right = answered(scores, first) && relevant.includes(candidates[first]!.id)
	const answer = `${candidates[first]!.text} ${figure(scores[first]!)}`
	return { right, said: scores[first]!, chance: 1 / candidates.length, asked: query, answer }
}

const noul: Ask<Rows['noul']> = async (judge, { proposition, context, label }, signal) => {
	const call = { propositions: [proposition], ...(context === undefined ? {} : { context }) }
	const p = (await judge.noul(call, signal)).probabilities[0]!
	const right = p !== 0.5 && p > 0.5 === Boolean(label)
	const asked = about(proposition, context)
	return { right, said: Math.max(p, 1 - p), chance: 0.5, asked, answer: `${figure(p)}, not ${label}` }
}

const choice: Ask<Rows['choice']> = async (judge, { question, options, context, answer }, signal) => {
	const call = { question, options, ...(context === undefined ? {} : { context }) }
	const { probabilities } = await judge.choice(call, signal)
	const first = largest(probabilities)
	return {
		right: answered(probabilities, answer),
		said: probabilities[first]!,
		chance: 1 / options.length,
		asked: about(question, context),
		answer: `${options[first]} ${figure(probabilities[first]!)}, not ${options[answer]}`,
	}
}

const score: Ask<Rows['score']> = async (judge, { question, text, levels, gold }, signal) => {
	const { probabilities } = await judge.score({ question, levels, context: text }, signal)
	const first = largest(probabilities)
	return {
		right: answered(probabilities, gold),
		said: probabilities[first]!,
		chance: 1 / levels.length,
		asked: about(question, text),
		answer: `${levels[first]} ${figure(probabilities[first]!)}, not ${levels[gold]}`,
	}
}

const ASKS = { verify, screen, find, noul, choice, score }
const SPLITS = ['everyday', 'fresh', 'later', 'pairs', 'roles']

export async function probe(judge: Judge, signal: AbortSignal): Promise<Probed[]> {
	const probed: Probed[] = []
	for (const [tool, ask] of Object.entries(ASKS) as [keyof Rows, Ask<never>][])
		for (const split of SPLITS)
			for (const row of probesOf(tool, split)) {
				const id = row.id!
				const kind = split === 'pairs' ? `pairs: ${row.source}` : split
				probed.push({ tool, kind, id, half: halfOf(id), ...(await ask(judge, row as never, signal)) })
			}
	return probed
}
