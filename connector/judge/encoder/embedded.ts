/** Pieces as rows of numbers: what each is, and where it stands. */
import type { Packed } from '../learned/packed.ts'

/** Of a text. */
export const MOST_PIECES = 64

/** Waves of several lengths tell the place of a piece: one row for each place. */
export function wavesOf(lengths: Float32Array): Float32Array {
	const width = 2 * lengths.length
	const rows = new Float32Array(MOST_PIECES * width)
	for (let place = 0; place < MOST_PIECES; place++)
		lengths.forEach((length, k) => {
			rows[place * width + k] = Math.sin(place * length)
			rows[place * width + lengths.length + k] = Math.cos(place * length)
		})
	return rows
}

/** Twice what a piece is, and its place. */
export function embedded(
	lists: number[][],
	{ columns, steps }: Packed,
	places: Int8Array,
	waves: Float32Array,
): Float32Array {
	const x = new Float32Array(lists.reduce((count, { length }) => count + length, 0) * columns)
	let at = 0
	for (const list of lists)
		for (const [place, id] of list.entries()) {
			for (let k = 0; k < columns; k++)
				x[at + k] = 2 * steps[id]! * places[id * columns + k]! + waves[place * columns + k]!
			at += columns
		}
	return x
}
