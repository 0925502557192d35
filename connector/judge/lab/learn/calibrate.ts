/** Calibration on margins of sources that the model did not see: two numbers, so that little can be learned by heart. */
import { sigmoid } from '../../learned/trees.ts'

const STEPS = 50

/** Platt scaling by Newton steps, each halved until it helps. The slope stays positive: calibration may not turn an answer round. */
export function platt(
	margins: ArrayLike<number>,
	labels: ArrayLike<number>,
	weights: ArrayLike<number>,
): { slope: number; offset: number } {
	let at = { slope: 1, offset: 0 }
	let cost = logLoss(margins, labels, weights, at)
	for (let step = 0; step < STEPS; step++) {
		const move = newton(margins, labels, weights, at)
		let scale = 1
		let next = at
		let nextCost = cost
		for (; scale > 1e-4; scale /= 2) {
			next = {
				slope: Math.max(LEAST_SLOPE, at.slope - scale * move.slope),
				offset: at.offset - scale * move.offset,
			}
			nextCost = logLoss(margins, labels, weights, next)
			if (nextCost < cost) break
		}
		if (!(nextCost < cost - 1e-9)) break
		at = next
		cost = nextCost
	}
	return at
}

const LEAST_SLOPE = 0.02

interface Line {
	slope: number
	offset: number
}

function newton(
	margins: ArrayLike<number>,
	labels: ArrayLike<number>,
	weights: ArrayLike<number>,
	{ slope, offset }: Line,
): Line {
	let [ga, gb, haa, hab, hbb] = [0, 0, 1e-6, 0, 1e-6]
	for (let i = 0; i < margins.length; i++) {
		const p = sigmoid(slope * margins[i]! + offset)
		const error = (p - labels[i]!) * weights[i]!
		const curve = Math.max(1e-9, p * (1 - p)) * weights[i]!
		ga += error * margins[i]!
		gb += error
		haa += curve * margins[i]! * margins[i]!
		hab += curve * margins[i]!
		hbb += curve
	}
	const det = Math.max(1e-12, haa * hbb - hab * hab)
	return { slope: (hbb * ga - hab * gb) / det, offset: (haa * gb - hab * ga) / det }
}

function logLoss(
	margins: ArrayLike<number>,
	labels: ArrayLike<number>,
	weights: ArrayLike<number>,
	{ slope, offset }: Line,
): number {
	let sum = 0
	for (let i = 0; i < margins.length; i++) {
		const z = (slope * margins[i]! + offset) * (labels[i]! > 0.5 ? 1 : -1)
		sum += weights[i]! * (z > 0 ? Math.log1p(Math.exp(-z)) : -z + Math.log1p(Math.exp(z)))
	}
	return sum
}

/** The value of a list of candidates with the least cost. */
export function least<T>(candidates: readonly [T, ...T[]], cost: (candidate: T) => number): T {
	let best: T = candidates[0]
	let lowest = Number.POSITIVE_INFINITY
	for (const candidate of candidates) {
		const found = cost(candidate)
		if (found < lowest) [best, lowest] = [candidate, found]
	}
	return best
}
