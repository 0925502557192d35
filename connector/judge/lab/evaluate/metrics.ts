/** The measures of the evaluation, each a plain function of what was answered and what was right. */
import { random } from '../learn/random.ts'

const mean = (list: readonly number[]): number =>
	list.length ? list.reduce((a, b) => a + b, 0) / list.length : Number.NaN

/** Chance that a positive scores above a negative; ties count half. */
export function auroc(scores: readonly number[], labels: readonly number[]): number {
	const ranks = ranksOf(scores)
	let positives = 0
	let sum = 0
	labels.forEach((label, i) => {
		if (!label) return
		positives++
		sum += ranks[i]! + 1
	})
	const negatives = labels.length - positives
	if (!positives || !negatives) return Number.NaN
	return (sum - (positives * (positives + 1)) / 2) / (positives * negatives)
}

/** Ranks from 0, ties sharing their mean. */
export function ranksOf(values: readonly number[]): number[] {
	const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!)
	const ranks = new Array<number>(values.length)
	for (let i = 0; i < order.length; ) {
		let j = i
		while (j + 1 < order.length && values[order[j + 1]!] === values[order[i]!]) j++
		for (let k = i; k <= j; k++) ranks[order[k]!] = (i + j) / 2
		i = j + 1
	}
	return ranks
}

/** Share of positives above the score that `rate` of the negatives exceed. */
export function recallAt(scores: readonly number[], labels: readonly number[], rate: number): number {
	const negatives = scores.filter((_, i) => !labels[i]).sort((a, b) => b - a)
	const positives = scores.filter((_, i) => labels[i])
	if (!negatives.length || !positives.length) return Number.NaN
	const threshold = negatives[Math.floor(negatives.length * rate)] ?? Number.NEGATIVE_INFINITY
	return positives.filter((score) => score > threshold).length / positives.length
}

const FEWEST_OF_CLASS = 5

/** Mean recall over the classes that have a handful of rows. */
export function balancedAccuracy(answers: readonly number[], labels: readonly number[]): number {
	const counts = new Map<number, { all: number; right: number }>()
	labels.forEach((label, i) => {
		const count = counts.get(label) ?? { all: 0, right: 0 }
		counts.set(label, count)
		count.all++
		if (answers[i] === label) count.right++
	})
	const known = [...counts.values()].filter(({ all }) => all >= FEWEST_OF_CLASS)
	return mean(known.map(({ all, right }) => right / all))
}

export const accuracy = (answers: readonly number[], labels: readonly number[]): number =>
	mean(answers.map((answer, i) => (answer === labels[i] ? 1 : 0)))

export const brier = (probabilities: readonly number[], labels: readonly number[]): number =>
	mean(probabilities.map((p, i) => (p - labels[i]!) ** 2))

/** Sum over options, so that a uniform answer of n options costs 1 − 1/n. */
export const brierOfLists = (lists: readonly (readonly number[])[], answers: readonly number[]): number =>
	mean(lists.map((list, i) => list.reduce((sum, p, k) => sum + (p - (k === answers[i] ? 1 : 0)) ** 2, 0)))

const BINS = 10

export interface Bin {
	said: number
	was: number
	count: number
}

export function reliability(probabilities: readonly number[], labels: readonly number[]): Bin[] {
	const bins = Array.from({ length: BINS }, () => ({ said: 0, was: 0, count: 0 }))
	probabilities.forEach((p, i) => {
		const bin = bins[Math.min(BINS - 1, Math.floor(p * BINS))]!
		bin.said += p
		bin.was += labels[i]!
		bin.count++
	})
	return bins
		.filter(({ count }) => count > 0)
		.map(({ said, was, count }) => ({ said: said / count, was: was / count, count }))
}

/** Expected calibration error over ten bins of equal width. */
export function ece(probabilities: readonly number[], labels: readonly number[]): number {
	if (!probabilities.length) return Number.NaN
	const bins = reliability(probabilities, labels)
	return bins.reduce(
		(sum, { said, was, count }) => sum + (count / probabilities.length) * Math.abs(said - was),
		0,
	)
}

const DEPTH = 10

export function ndcg(scores: readonly number[], relevant: readonly boolean[]): number {
	const order = scores.map((_, i) => i).sort((a, b) => scores[b]! - scores[a]! || a - b)
	const gain = (place: number) => 1 / Math.log2(place + 2)
	let got = 0
	order.slice(0, DEPTH).forEach((i, place) => {
		if (relevant[i]) got += gain(place)
	})
	let ideal = 0
	for (let place = 0; place < Math.min(DEPTH, relevant.filter(Boolean).length); place++) ideal += gain(place)
	return ideal ? got / ideal : Number.NaN
}

/** Agreement of two orders; answers that are all the same agree with none, and truths that are have none. */
export function spearman(answers: readonly number[], truths: readonly number[]): number {
	const [x, y] = [ranksOf(answers), ranksOf(truths)]
	const middle = (answers.length - 1) / 2
	let [xy, xx, yy] = [0, 0, 0]
	for (let i = 0; i < answers.length; i++) {
		xy += (x[i]! - middle) * (y[i]! - middle)
		xx += (x[i]! - middle) ** 2
		yy += (y[i]! - middle) ** 2
	}
	if (!yy) return Number.NaN
	return xx ? xy / Math.sqrt(xx * yy) : 0
}

const SEED = 11

/** The middle 95 % of a measure over rows drawn again and again with replacement. */
export function interval(rows: number, draws: number, measure: (rows: number[]) => number): [number, number] {
	const next = random(SEED)
	const values: number[] = []
	for (let draw = 0; draw < draws; draw++) {
		const value = measure(Array.from({ length: rows }, () => Math.floor(next() * rows)))
		if (Number.isFinite(value)) values.push(value)
	}
	values.sort((a, b) => a - b)
	return [
		values[Math.floor(values.length * 0.025)] ?? Number.NaN,
		values[Math.ceil(values.length * 0.975) - 1] ?? Number.NaN,
	]
}
