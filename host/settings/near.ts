/** Without underscores. Shorter names differ by one letter from names of other programs. */
const MIN_LETTERS = 7

/**
 * The name that was meant: it differs by its underscores, one letter more, less or other, or two that changed places.
 * Undefined: none is so near.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
	const letters = bare(name)
	return names.find((one) => bare(one).length >= MIN_LETTERS && oneSlip(letters, bare(one)))
}

const bare = (name: string) => name.toUpperCase().replaceAll('_', '')

function oneSlip(a: string, b: string): boolean {
	const shorter = Math.min(a.length, b.length)
	let from = 0
	while (from < shorter && a[from] === b[from]) from++
	let same = 0
	while (same < shorter - from && a.at(-1 - same) === b.at(-1 - same)) same++
	const left = a.slice(from, a.length - same)
	const right = b.slice(from, b.length - same)
	if (left.length <= 1 && right.length <= 1) return true
	return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
