/** Attention of four heads: what every piece of a text takes from the other pieces of the same text. */

const HEADS = 4

/** Every piece takes from the others of its text what it asks for: queries, keys and values lie side by side. */
export function attended(qkv: Float32Array, lengths: readonly number[]): Float32Array {
	const pieces = lengths.reduce((a, b) => a + b, 0)
	const width = qkv.length / pieces / 3
	const depth = width / HEADS
	const out = new Float32Array(pieces * width)
	const shares = new Float32Array(Math.max(0, ...lengths))
	let from = 0
	for (const length of lengths) {
		for (let head = 0; head < HEADS; head++)
			for (let i = 0; i < length; i++) {
				const asked = (from + i) * 3 * width + head * depth
				sharesOf(qkv, asked, (from * 3 + 1) * width + head * depth, 3 * width, depth, length, shares)
				const to = (from + i) * width + head * depth
				for (let j = 0; j < length; j++) {
					const value = ((from + j) * 3 + 2) * width + head * depth
					for (let k = 0; k < depth; k++) out[to + k]! += shares[j]! * qkv[value + k]!
				}
			}
		from += length
	}
	return out
}

function sharesOf(
	qkv: Float32Array,
	asked: number,
	keys: number,
	stride: number,
	depth: number,
	length: number,
	shares: Float32Array,
): void {
	const scale = 1 / Math.sqrt(depth)
	let most = Number.NEGATIVE_INFINITY
	for (let j = 0; j < length; j++) {
		const key = keys + j * stride
		// Four sums at once: each addition would wait for the one before.
		let [a, b, c, d] = [0, 0, 0, 0]
		for (let k = 0; k < depth; k += 4) {
			a += qkv[asked + k]! * qkv[key + k]!
			b += qkv[asked + k + 1]! * qkv[key + k + 1]!
			c += qkv[asked + k + 2]! * qkv[key + k + 2]!
			d += qkv[asked + k + 3]! * qkv[key + k + 3]!
		}
		shares[j] = (a + b + c + d) * scale
		most = Math.max(most, shares[j]!)
	}
	let total = 0
	for (let j = 0; j < length; j++) total += shares[j] = Math.exp(shares[j]! - most)
	for (let j = 0; j < length; j++) shares[j]! /= total
}
