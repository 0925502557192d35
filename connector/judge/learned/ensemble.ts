/** A margin from plain features: boosted trees, a logistic regression, or a mean of both; with its calibration. */
import type { Numbers } from './arrays.ts'
import { type Dense, denseMargin, packDense, unpackDense } from './dense.ts'
import { packTrees, score, sigmoid, type Trees, unpackTrees } from './trees.ts'

export interface Ensemble {
	/** Places of the features used, in the row given. */
	columns: Uint16Array
	trees: Trees
	dense: Dense
	/** Share of the regression in the margin. */
	mix: number
	/** Probability = sigmoid(slope · margin + offset). */
	slope: number
	offset: number
}

/** The features that it uses, of all. */
export const pick = (row: ArrayLike<number>, columns: Uint16Array) =>
	Float32Array.from(columns, (column) => row[column]!)

export function margin({ columns, trees, dense, mix }: Ensemble, row: ArrayLike<number>): number {
	const picked = pick(row, columns)
	const byTrees = mix < 1 ? score(trees, picked)[0]! : 0
	return (1 - mix) * byTrees + (mix > 0 ? mix * denseMargin(dense, picked) : 0)
}

export const probability = (model: Ensemble, row: ArrayLike<number>): number =>
	sigmoid(model.slope * margin(model, row) + model.offset)

export const packEnsemble = (name: string, model: Ensemble): Record<string, Numbers> => ({
	[`${name}.columns`]: model.columns,
	[`${name}.settings`]: Float32Array.of(model.mix, model.slope, model.offset),
	...packTrees(`${name}.trees`, model.trees),
	...packDense(`${name}.dense`, model.dense),
})

export function unpackEnsemble(name: string, arrays: Record<string, Numbers>): Ensemble {
	const [mix, slope, offset] = arrays[`${name}.settings`] as Float32Array
	return {
		columns: arrays[`${name}.columns`] as Uint16Array,
		trees: unpackTrees(`${name}.trees`, arrays),
		dense: unpackDense(`${name}.dense`, arrays),
		mix: mix!,
		slope: slope!,
		offset: offset!,
	}
}
