/** Place of a value in a sorted array; −1 where it is not in there. */
export function placeIn(sorted: Uint32Array, value: number): number {
	let low = 0
	let high = sorted.length - 1
	while (low <= high) {
		const middle = (low + high) >> 1
		const found = sorted[middle]!
		if (found === value) return middle
		if (found < value) low = middle + 1
		else high = middle - 1
	}
	return -1
}
