/** The encoder's matrices, laid out once in memory that the kernel reads, and rows of numbers through one of them. */
import type { Numbers } from '../learned/arrays.ts'
import { type Packed, unpackBits } from '../learned/packed.ts'
import { kernel, ROWS } from './kernel.ts'

/** Inputs in 14 bits: 1,536 products of them and of a weight stay under 32. */
const FINEST = 8_191
const PAGE_BYTES = 65_536
/** Rows at a time: so many stay in the nearest memory while the weights pass by. */
const BLOCK = 32

/** Matrices by name, each with rows of what it puts out. */
export const MATRICES = [
	'in',
	'qkv0',
	'out0',
	'up0',
	'down0',
	'qkv1',
	'out1',
	'up1',
	'down1',
	// The last one, of what is asked and of what is offered.
	'asked',
	'offered',
] as const
export type Matrix = (typeof MATRICES)[number]

/** Of each number. */
export interface Bits {
	pieces: number
	matrices: number
}

interface Placed {
	rows: number
	columns: number
	steps: Float32Array
	bias: Float32Array
	/** Where it lies in memory. */
	at: number
}

/** Rows of `x` times the matrix, plus its bias. */
export type Through = (name: Matrix, x: Float32Array) => Float32Array

export function layers(arrays: Record<string, Numbers>, bits: Bits): Through {
	const { matrices, memory, free } = laid(arrays, bits)
	const multiply = kernel(memory)
	return (name, x) => {
		const { rows, columns, steps, bias, at } = matrices[name]
		const count = x.length / columns
		const padded = Math.ceil(count / ROWS) * ROWS
		const [from, to] = [free, free + 2 * padded * columns]
		grow(memory, to + 4 * padded * rows)
		const whole = new Int16Array(memory.buffer, from, padded * columns)
		const scales = wholeNumbers(x, columns, whole)
		for (let row = 0; row < padded; row += BLOCK)
			multiply(
				from + 2 * row * columns,
				at,
				to + 4 * row * rows,
				Math.min(BLOCK, padded - row),
				rows,
				2 * columns,
			)
		const sums = new Int32Array(memory.buffer, to, padded * rows)
		const out = new Float32Array(count * rows)
		for (let i = 0, k = 0; i < count; i++)
			for (let j = 0; j < rows; j++, k++) out[k] = sums[k]! * scales[i]! * steps[j]! + bias[j]!
		return out
	}
}

export const matrixOf = (arrays: Record<string, Numbers>, name: string): Packed => ({
	rows: arrays[`${name}.steps`]!.length,
	columns: arrays[`${name}.columns`]![0]!,
	bits: arrays[`${name}.bits`] as Uint8Array,
	steps: arrays[`${name}.steps`] as Float32Array,
})

/** All matrices one behind the other, as the kernel reads them, and where free space begins. */
function laid(arrays: Record<string, Numbers>, bits: Bits) {
	const matrices = {} as Record<Matrix, Placed>
	let at = 0
	for (const name of MATRICES) {
		const { rows, columns, steps } = matrixOf(arrays, name)
		matrices[name] = { rows, columns, steps, bias: arrays[`${name}.bias`] as Float32Array, at }
		at += 2 * rows * columns
	}
	const memory = new WebAssembly.Memory({ initial: Math.ceil(at / PAGE_BYTES) })
	for (const name of MATRICES) {
		const { rows, columns, at: from } = matrices[name]
		unpackBits(
			matrixOf(arrays, name).bits,
			bits.matrices,
			new Int16Array(memory.buffer, from, rows * columns),
		)
	}
	return { matrices, memory, free: at }
}

function grow(memory: WebAssembly.Memory, bytes: number): void {
	const more = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES)
	if (more > 0) memory.grow(more)
}

/** Each row in steps of its own; what one step is. Rows that only fill up are left as they are. */
function wholeNumbers(x: Float32Array, columns: number, whole: Int16Array): Float32Array {
	const scales = new Float32Array(x.length / columns)
	for (let i = 0; i < scales.length; i++) {
		const [from, to] = [i * columns, (i + 1) * columns]
		let most = 0
		for (let k = from; k < to; k++) most = Math.max(most, Math.abs(x[k]!))
		const scale = most / FINEST || 1
		for (let k = from; k < to; k++) whole[k] = Math.round(x[k]! / scale)
		scales[i] = scale
	}
	return scales
}
