/**
 * Boosted oblivious trees: every level of a tree asks one question of all its rows, so a tree is a few thresholds and
 * a table of leaves. Small, quick, and slower to learn a source's quirks than trees that branch freely.
 */
import type { Numbers } from './arrays.ts'

export interface Trees {
	depth: number
	/** Outputs added up per tree in turn: tree t belongs to output t mod `outputs`. */
	outputs: number
	base: Float32Array
	features: Uint8Array
	thresholds: Float32Array
	leaves: Float32Array
}

export function score(trees: Trees, row: ArrayLike<number>): Float64Array {
	const { depth, outputs, features, thresholds, leaves } = trees
	const out = Float64Array.from(trees.base)
	const count = features.length / depth
	for (let tree = 0; tree < count; tree++) {
		let leaf = 0
		for (let level = 0; level < depth; level++) {
			const at = tree * depth + level
			if (row[features[at]!]! > thresholds[at]!) leaf |= 1 << level
		}
		out[tree % outputs]! += leaves[(tree << depth) + leaf]!
	}
	return out
}

export function softmax(scores: ArrayLike<number>, temperature = 1): number[] {
	let top = Number.NEGATIVE_INFINITY
	for (let i = 0; i < scores.length; i++) top = Math.max(top, scores[i]!)
	const weights = Array.from(scores, (score) => Math.exp((score - top) / temperature))
	const sum = weights.reduce((a, b) => a + b, 0)
	return weights.map((weight) => weight / sum)
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** Leaves in sixteen bits, with one scale: half the size, and no figure of the evaluation moves. */
export function packTrees(name: string, trees: Trees): Record<string, Numbers> {
	let top = 1e-9
	for (const leaf of trees.leaves) top = Math.max(top, Math.abs(leaf))
	return {
		[`${name}.head`]: Float32Array.of(trees.depth, trees.outputs, top, ...trees.base),
		[`${name}.features`]: trees.features,
		[`${name}.thresholds`]: trees.thresholds,
		[`${name}.leaves`]: Int16Array.from(trees.leaves, (leaf) => Math.round((leaf / top) * 32_767)),
	}
}

export function unpackTrees(name: string, arrays: Record<string, Numbers>): Trees {
	const [depth, outputs, top, ...base] = arrays[`${name}.head`] as Float32Array
	return {
		depth: depth!,
		outputs: outputs!,
		base: Float32Array.from(base),
		features: arrays[`${name}.features`] as Uint8Array,
		thresholds: arrays[`${name}.thresholds`] as Float32Array,
		leaves: Float32Array.from(arrays[`${name}.leaves`]!, (leaf) => (leaf / 32_767) * top!),
	}
}
