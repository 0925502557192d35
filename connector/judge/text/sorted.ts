/** Place of a value in a sorted array; −1 where it is not in there. */
export function placeIn(sorted: Uint32Array, value: number): number {
	const place = firstFrom(sorted, value)
	return sorted[place] === value ? place : -1
}

/** Place of the first that is not below the value. */
export function firstFrom(sorted: Uint32Array, value: number): number {
	let low = 0
	let high = sorted.length
	while (low < high) {
		const middle = (low + high) >> 1
		if (sorted[middle]! < value) low = middle + 1
		else high = middle
	}
	return low
}
