/** Principal components of word vectors: centred, the strongest directions (mere frequency) taken out, the next kept. */

const COMMON_DIRECTIONS = 2
const SWEEPS = 12

export function project(rows: readonly number[][], dimensions: number): Float64Array[] {
	const width = rows[0]!.length
	const mean = new Float64Array(width)
	for (const row of rows) for (let i = 0; i < width; i++) mean[i]! += row[i]! / rows.length
	const covariance = Array.from({ length: width }, () => new Float64Array(width))
	for (const row of rows) {
		for (let i = 0; i < width; i++) {
			const x = row[i]! - mean[i]!
			const line = covariance[i]!
			for (let j = i; j < width; j++) line[j]! += x * (row[j]! - mean[j]!)
		}
	}
	for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) covariance[i]![j] = covariance[j]![i]!
	const axes = eigenvectors(covariance).slice(COMMON_DIRECTIONS, COMMON_DIRECTIONS + dimensions)
	return rows.map((row) =>
		Float64Array.from(axes, (axis) => {
			let sum = 0
			for (let i = 0; i < width; i++) sum += (row[i]! - mean[i]!) * axis[i]!
			return sum
		}),
	)
}

/** Jacobi rotations of a symmetric matrix; eigenvectors by falling eigenvalue. Destroys its argument. */
function eigenvectors(a: Float64Array[]): Float64Array[] {
	const n = a.length
	const v = Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)))
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, p, q)
	}
	const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[j]![j]! - a[i]![i]!)
	return order.map((column) => Float64Array.from({ length: n }, (_, i) => v[i]![column]!))
}

function rotate(a: Float64Array[], v: Float64Array[], p: number, q: number): void {
	const apq = a[p]![q]!
	if (Math.abs(apq) < 1e-12) return
	const theta = (a[q]![q]! - a[p]![p]!) / (2 * apq)
	const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
	const c = 1 / Math.sqrt(t * t + 1)
	const s = t * c
	for (let k = 0; k < a.length; k++) {
		const [x, y] = [a[k]![p]!, a[k]![q]!]
		a[k]![p] = c * x - s * y
		a[k]![q] = s * x + c * y
	}
	for (let k = 0; k < a.length; k++) {
		const [x, y] = [a[p]![k]!, a[q]![k]!]
		a[p]![k] = c * x - s * y
		a[q]![k] = s * x + c * y
		const [u, w] = [v[k]![p]!, v[k]![q]!]
		v[k]![p] = c * u - s * w
		v[k]![q] = s * u + c * w
	}
}
