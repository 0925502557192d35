/** Gradient boosting of oblivious trees on binned features. Deterministic: one seed, one order, float64 sums. */

import { softmax, type Trees } from '../../learned/trees.ts'
import { random } from './random.ts'

export interface BoostSettings {
	loss: 'logistic' | 'softmax' | 'square'
	/** Classes of `softmax`. */
	classes?: number
	rounds: number
	depth: number
	rate: number
	/** Pull of leaves towards zero. */
	lambda: number
	/** Shares of rows and of features that each tree sees. */
	rows: number
	columns: number
	seed: number
}

export interface Examples {
	x: readonly ArrayLike<number>[]
	y: ArrayLike<number>
	weights: ArrayLike<number>
}

const BINS = 48

export function boost({ x, y, weights }: Examples, settings: BoostSettings): Trees {
	const outputs = settings.loss === 'softmax' ? settings.classes! : 1
	const width = x[0]!.length
	const cuts = Array.from({ length: width }, (_, feature) => cutsOf(x, feature))
	const bins = Array.from({ length: width }, (_, feature) => binned(x, feature, cuts[feature]!))
	const next = random(settings.seed)
	const base = baseOf(y, weights, settings, outputs)
	const margins = Array.from({ length: outputs }, (_, k) => new Float64Array(x.length).fill(base[k]!))
	const trees: Trees = {
		depth: settings.depth,
		outputs,
		base,
		features: new Uint8Array(settings.rounds * outputs * settings.depth),
		thresholds: new Float32Array(settings.rounds * outputs * settings.depth),
		leaves: new Float32Array((settings.rounds * outputs) << settings.depth),
	}
	for (let round = 0; round < settings.rounds; round++) {
		const used = sample(x.length, settings.rows, next)
		const slopes = slopesOf(margins, y, weights, settings)
		for (let k = 0; k < outputs; k++) {
			const columns = sample(width, settings.columns, next)
			const tree = round * outputs + k
			const leafOf = grow(trees, tree, { used, columns, bins, cuts, ...slopes[k]!, lambda: settings.lambda })
			fillLeaves(trees, tree, leafOf, used, slopes[k]!, settings)
			const margin = margins[k]!
			for (let i = 0; i < x.length; i++) margin[i]! += trees.leaves[(tree << settings.depth) + leafOf[i]!]!
		}
	}
	return trees
}

function cutsOf(x: readonly ArrayLike<number>[], feature: number): Float32Array {
	const step = Math.max(1, Math.floor(x.length / 20_000))
	const values: number[] = []
	for (let i = 0; i < x.length; i += step) values.push(Math.fround(x[i]![feature]!))
	values.sort((a, b) => a - b)
	const cuts = new Set<number>()
	for (let b = 1; b < BINS; b++) cuts.add(values[Math.floor((b * values.length) / BINS)]!)
	cuts.delete(values[values.length - 1]!)
	return Float32Array.from([...cuts].sort((a, b) => a - b))
}

function binned(x: readonly ArrayLike<number>[], feature: number, cuts: Float32Array): Uint8Array {
	return Uint8Array.from(x, (row) => {
		const value = Math.fround(row[feature]!)
		let bin = 0
		while (bin < cuts.length && value > cuts[bin]!) bin++
		return bin
	})
}

function sample(n: number, share: number, next: () => number): Int32Array {
	const kept: number[] = []
	for (let i = 0; i < n; i++) if (share >= 1 || next() < share) kept.push(i)
	return Int32Array.from(kept.length ? kept : [0])
}

function baseOf(
	y: ArrayLike<number>,
	weights: ArrayLike<number>,
	{ loss }: BoostSettings,
	outputs: number,
): Float32Array {
	const sums = new Float64Array(outputs)
	let total = 0
	for (let i = 0; i < y.length; i++) {
		total += weights[i]!
		if (loss === 'softmax') sums[y[i]!]! += weights[i]!
		else sums[0]! += weights[i]! * y[i]!
	}
	return Float32Array.from(sums, (sum) => {
		const mean = sum / total
		if (loss === 'square') return mean
		return loss === 'softmax' ? Math.log(mean + 1e-9) : Math.log((mean + 1e-9) / (1 - mean + 1e-9))
	})
}

interface Slopes {
	gradient: Float64Array
	curvature: Float64Array
}

function slopesOf(
	margins: Float64Array[],
	y: ArrayLike<number>,
	weights: ArrayLike<number>,
	{ loss }: BoostSettings,
): Slopes[] {
	const slopes = margins.map(() => ({
		gradient: new Float64Array(y.length),
		curvature: new Float64Array(y.length),
	}))
	for (let i = 0; i < y.length; i++) {
		const w = weights[i]!
		const p = loss === 'softmax' ? softmax(margins.map((margin) => margin[i]!)) : null
		for (let k = 0; k < margins.length; k++) {
			const margin = margins[k]![i]!
			const predicted = p ? p[k]! : loss === 'square' ? margin : 1 / (1 + Math.exp(-margin))
			const wanted = p ? (y[i] === k ? 1 : 0) : y[i]!
			slopes[k]!.gradient[i] = w * (wanted - predicted)
			slopes[k]!.curvature[i] = w * (loss === 'square' ? 1 : Math.max(1e-6, predicted * (1 - predicted)))
		}
	}
	return slopes
}

interface Growth extends Slopes {
	used: Int32Array
	columns: Int32Array
	bins: Uint8Array[]
	cuts: Float32Array[]
	lambda: number
}

/** Chooses the question of each level; the leaf of every row, used or not. */
function grow(trees: Trees, tree: number, growth: Growth): Uint8Array {
	const { columns, bins, cuts } = growth
	const leafOf = new Uint8Array(bins[0]!.length)
	for (let level = 0; level < trees.depth; level++) {
		let best = { gain: Number.NEGATIVE_INFINITY, feature: columns[0]!, cut: 0 }
		for (const feature of columns) {
			const found = bestCut(growth, feature, leafOf, 1 << level)
			if (found.gain > best.gain) best = { ...found, feature }
		}
		const at = tree * trees.depth + level
		trees.features[at] = best.feature
		trees.thresholds[at] = cuts[best.feature]![best.cut] ?? Number.MAX_VALUE
		const column = bins[best.feature]!
		for (let i = 0; i < leafOf.length; i++) if (column[i]! > best.cut) leafOf[i]! |= 1 << level
	}
	return leafOf
}

function bestCut(
	{ used, bins, cuts, gradient, curvature, lambda }: Growth,
	feature: number,
	leafOf: Uint8Array,
	nodes: number,
) {
	const sums = new Float64Array(nodes * BINS * 2)
	const column = bins[feature]!
	for (let u = 0; u < used.length; u++) {
		const i = used[u]!
		const at = (leafOf[i]! * BINS + column[i]!) * 2
		sums[at]! += gradient[i]!
		sums[at + 1]! += curvature[i]!
	}
	const count = cuts[feature]!.length
	const gains = new Float64Array(count)
	for (let node = 0; node < nodes; node++) {
		let g = 0
		let h = 0
		for (let bin = 0; bin <= count; bin++) {
			g += sums[(node * BINS + bin) * 2]!
			h += sums[(node * BINS + bin) * 2 + 1]!
		}
		let left = 0
		let leftH = 0
		for (let bin = 0; bin < count; bin++) {
			left += sums[(node * BINS + bin) * 2]!
			leftH += sums[(node * BINS + bin) * 2 + 1]!
			gains[bin]! += (left * left) / (leftH + lambda) + ((g - left) * (g - left)) / (h - leftH + lambda)
		}
	}
	let cut = 0
	for (let bin = 1; bin < count; bin++) if (gains[bin]! > gains[cut]!) cut = bin
	return { gain: count ? gains[cut]! : Number.NEGATIVE_INFINITY, cut }
}

function fillLeaves(
	trees: Trees,
	tree: number,
	leafOf: Uint8Array,
	used: Int32Array,
	slopes: Slopes,
	settings: BoostSettings,
): void {
	const size = 1 << settings.depth
	const g = new Float64Array(size)
	const h = new Float64Array(size)
	for (let u = 0; u < used.length; u++) {
		g[leafOf[used[u]!]!]! += slopes.gradient[used[u]!]!
		h[leafOf[used[u]!]!]! += slopes.curvature[used[u]!]!
	}
	for (let leaf = 0; leaf < size; leaf++) {
		trees.leaves[tree * size + leaf] = (settings.rate * g[leaf]!) / (h[leaf]! + settings.lambda)
	}
}
