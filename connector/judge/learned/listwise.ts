/** Which of several: a linear score for each option. */
import type { Numbers } from './arrays.ts'

export interface Listwise {
	weights: Float32Array
}

export const listMargins = ({ weights }: Listwise, options: readonly ArrayLike<number>[]): number[] =>
	options.map((row) => product(weights, row))

export function product(weights: ArrayLike<number>, row: ArrayLike<number>): number {
	let sum = 0
	for (let k = 0; k < weights.length; k++) sum += weights[k]! * row[k]!
	return sum
}

export const packListwise = (name: string, { weights }: Listwise): Record<string, Numbers> => ({
	[`${name}.weights`]: weights,
})

export const unpackListwise = (name: string, arrays: Record<string, Numbers>): Listwise => ({
	weights: arrays[`${name}.weights`] as Float32Array,
})
