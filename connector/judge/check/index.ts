/** Asks a judge forty questions, one after another, so that the times are those of a single call. */
import { fitTemperature, type Labelled, sharpened } from '../openai/calibration.ts'
import type { Judge } from '../types.ts'
import type { Question } from './question.ts'
import { QUESTIONS } from './questions.ts'

export { writeCalibration } from '../openai/calibration.ts'

export interface Checked {
	tool: Question['tool']
	/** In a few words, for people. */
	asked: string
	answer: string
	expected: string
	right: boolean
	/** Of the answer given. */
	probability: number
	ms: number
	/** What a temperature is learned from. */
	labelled: Labelled[]
}

export const QUESTION_COUNT = QUESTIONS.length

export async function checkJudge(
	judge: Judge,
	signal: AbortSignal,
	told: (done: number, tool: Question['tool']) => void,
): Promise<Checked[]> {
	const checked: Checked[] = []
	for (const question of QUESTIONS) {
		signal.throwIfAborted()
		told(checked.length, question.tool)
		const began = performance.now()
		const found = await ask(judge, question, signal)
		checked.push({ tool: question.tool, ...found, ms: performance.now() - began })
	}
	return checked
}

/** Learned from answers at temperature 1; the answers then stand as that temperature makes them. */
export function calibrate(checked: readonly Checked[]): { temperature: number; checked: Checked[] } {
	const temperature = fitTemperature(checked.flatMap(({ labelled }) => labelled))
	const drawn = (p: number, rest: number) =>
		sharpened([p, ...new Array<number>(rest).fill((1 - p) / rest)], temperature)[0]!
	return {
		temperature,
		checked: checked.map((one) => ({
			...one,
			probability: drawn(one.probability, one.labelled[0]!.shares.length - 1),
		})),
	}
}

type Found = Pick<Checked, 'asked' | 'answer' | 'expected' | 'right' | 'probability' | 'labelled'>

async function ask(judge: Judge, question: Question, signal: AbortSignal): Promise<Found> {
	switch (question.tool) {
		case 'verify': {
			const { claims, evidence } = question
			const { results } = await judge.verify({ claims, evidence }, signal)
			const { verdict, confidence } = results[0]!
			const right = verdict === question.right
			const rest = (1 - confidence) / 2
			return {
				asked: claims[0],
				answer: verdict,
				expected: question.right,
				right,
				probability: confidence,
				labelled: [{ shares: [confidence, rest, rest], right: right ? 0 : 1 }],
			}
		}
		case 'screen': {
			const { injection } = await judge.screen({ text: question.text }, signal)
			const words = (flagged: boolean) => (flagged ? 'injection' : 'harmless')
			return yesNo(question.text, injection.probability, question.right, words)
		}
		case 'noul': {
			const { propositions, context } = question
			const { probabilities } = await judge.noul({ propositions, context }, signal)
			return yesNo(propositions[0], probabilities[0]!, question.right, String)
		}
		case 'find': {
			const { query, candidates } = question
			const { scores } = await judge.find({ query, candidates }, signal)
			const labelled = scores.map((p, i) => ({ shares: [p, 1 - p], right: i === question.right ? 0 : 1 }))
			return { ...picked(query, candidates, scores, question.right), labelled }
		}
		case 'choice': {
			const { question: asked, options, context } = question
			const { probabilities } = await judge.choice({ question: asked, options, context }, signal)
			return picked(asked, options, probabilities, question.right)
		}
		case 'score': {
			const { question: asked, levels, context } = question
			const { probabilities } = await judge.score({ question: asked, levels, context }, signal)
			return picked(asked, levels, probabilities, question.right)
		}
	}
}

function yesNo(asked: string, p: number, right: boolean, words: (yes: boolean) => string): Found {
	return {
		asked,
		answer: words(p >= 0.5),
		expected: words(right),
		right: p >= 0.5 === right,
		probability: Math.max(p, 1 - p),
		labelled: [{ shares: [p, 1 - p], right: right ? 0 : 1 }],
	}
}

function picked(asked: string, names: readonly string[], shares: readonly number[], right: number): Found {
	const top = shares.indexOf(Math.max(...shares))
	return {
		asked,
		answer: names[top]!,
		expected: names[right]!,
		right: top === right,
		probability: shares[top]!,
		labelled: [{ shares, right }],
	}
}
