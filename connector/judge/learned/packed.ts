/** Matrices of few bits a number: a row of whole numbers and the size of one step. */

export interface Packed {
	rows: number
	columns: number
	/** Least significant bits first. */
	bits: Uint8Array
	steps: Float32Array
}

/** Largest number, either way. */
const largest = (bits: number): number => 2 ** (bits - 1) - 1

export function packRows(values: Float32Array, rows: number, bits: number): Packed {
	const columns = values.length / rows
	const steps = new Float32Array(rows)
	const packed = new Uint8Array(Math.ceil((values.length * bits) / 8))
	const most = largest(bits)
	for (let row = 0, at = 0; row < rows; row++) {
		const own = values.subarray(row * columns, (row + 1) * columns)
		steps[row] = bestStep(own, most)
		for (const value of own) {
			const whole = clamp(value / steps[row]!, most) + most
			for (let k = 0; k < bits; k++, at++) if ((whole >> k) & 1) packed[at >> 3]! |= 1 << (at & 7)
		}
	}
	return { rows, columns, bits: packed, steps }
}

/** Fills `out` with the numbers of all rows. */
export function unpackBits(packed: Uint8Array, bits: number, out: Int8Array | Int16Array): void {
	const most = largest(bits)
	const mask = 2 ** bits - 1
	for (let i = 0, at = 0; i < out.length; i++, at += bits) {
		const byte = at >> 3
		out[i] = (((packed[byte]! | ((packed[byte + 1] ?? 0) << 8)) >> (at & 7)) & mask) - most
	}
}

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, Math.round(value)))

/** The step with the smallest error: the largest numbers of a row are cut off where that makes the others finer. */
function bestStep(row: Float32Array, most: number): number {
	const top = row.reduce((found, value) => Math.max(found, Math.abs(value)), 1e-9)
	let best = top / most
	let least = Number.POSITIVE_INFINITY
	for (let share = 1; share > 0.45; share -= 0.05) {
		const step = (share * top) / most
		let error = 0
		for (const value of row) error += (value - step * clamp(value / step, most)) ** 2
		if (error < least) [least, best] = [error, step]
	}
	return best
}
