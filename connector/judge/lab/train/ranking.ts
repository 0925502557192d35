/** Candidates of a query and options of a question. */
import { ANSWERED, answerFeatures } from '../../builtin/answers.ts'
import { contextOf, GATE, gateFeatures, spread } from '../../builtin/choice.ts'
import { FOUND, foundFeatures, readName } from '../../builtin/ranked.ts'
import { type Ensemble, probability } from '../../learned/ensemble.ts'
import { sigmoid, softmax } from '../../learned/trees.ts'
import { withoutEcho } from '../../rules/stuffing.ts'
import { phraseOf } from '../../text/phrase.ts'
import { least } from '../learn/calibrate.ts'
import type { ChoiceRow, FindRow } from './data.ts'
import { withDecoys } from './decoys.ts'
import { columnsOf, type Example, fitCalibrated, settings, surest } from './fit.ts'

const family = (source: string) => source.replace(/-(en|de|es)(?=-|$)/, '')
/** A candidate that answers counts more than one of the many that do not. */
const RELEVANT_WEIGHT = 3

/** Learned from the rows, and from the same queries among decoys. */
export function trainFind(given: readonly FindRow[]): { model: Ensemble; sure: number } {
	const examples: Example[] = []
	const queries = [...given, ...withDecoys(given)].map((row) => {
		const query = phraseOf(row.query)
		const features = foundFeatures(
			query,
			row.candidates.map(({ text }) => withoutEcho(query, readName(text))),
		)
		const fold = family(row.source)
		const from = examples.length
		features.forEach((x, i) => {
			const relevant = row.relevant.includes(row.candidates[i]!.id)
			const share = (relevant ? RELEVANT_WEIGHT : 1) / row.candidates.length
			examples.push({ x, y: relevant ? 1 : 0, fold, share })
		})
		return { from, to: examples.length }
	})
	const { model, margins } = fitCalibrated(
		examples,
		settings(columnsOf(FOUND, []), { lambda: 2, rows: 0.3, mix: 0.5 }),
		false,
		['unseen'],
	)
	const leads = queries.map(({ from, to }) => {
		const scores = Array.from(margins.subarray(from, to), (m) => sigmoid(model.slope * m + model.offset))
		const [best = 0, second = 0] = scores.toSorted((a, b) => b - a)
		return { sure: best - second, right: examples[from + scores.indexOf(best)]!.y === 1 }
	})
	return { model, sure: surest(leads) }
}

interface Asked {
	row: ChoiceRow
	features: Float32Array[]
	from: number
}

export function trainChoice(rows: readonly ChoiceRow[]): {
	choice: Ensemble
	gate: Ensemble
	temperature: number
	lists: number[][]
	answers: number[]
} {
	let from = 0
	const asked = rows
		.filter((row) => !row.source.startsWith('verdict') && contextOf(row).context !== undefined)
		.map((row): Asked => {
			const { question, context } = contextOf(row)
			const features = answerFeatures(question, row.options, context)
			from += features.length
			return { row, features, from: from - features.length }
		})
	const examples = asked.flatMap(({ row, features }, group) =>
		features.map(
			(x, i): Example => ({
				x,
				y: i === row.answer ? 1 : 0,
				fold: family(row.source),
				share: 1 / features.length,
				group,
			}),
		),
	)
	const { model, margins } = fitCalibrated(
		examples,
		settings(columnsOf(ANSWERED, []), { lambda: 2, mix: 0.5 }),
		false,
	)
	const ofEach = asked.map(({ features, from: first }) => [
		...margins.subarray(first, first + features.length),
	])
	const gated = asked.map(({ row, features }, i): Example => {
		const list = ofEach[i]!
		return {
			x: gateFeatures(features, list),
			y: list.indexOf(Math.max(...list)) === row.answer ? 1 : 0,
			fold: family(row.source),
		}
	})
	const gate = fitCalibrated(
		gated,
		settings(columnsOf(GATE, []), { depth: 2, rounds: 60, mix: 0.5 }),
		false,
	).model
	const answers = asked.map(({ row }) => row.answer)
	const temperature = least([0.7, 1, 1.4, 2, 3], (t) => {
		return ofEach.reduce((sum, list, i) => sum - Math.log(softmax(list, t)[answers[i]!]! + 1e-6), 0)
	})
	return {
		choice: model,
		gate,
		temperature,
		lists: ofEach.map((list, i) => spread(softmax(list, temperature), probability(gate, gated[i]!.x))),
		answers,
	}
}
