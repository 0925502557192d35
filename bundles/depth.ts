/** Takes every schema that schema/check.ts takes (two levels each), and is shallow enough for every recursive reader. */
const NESTING_MAX = 192
/** Lists, objects, members and elements: as many as a manifest of 2,000 files and the largest agent have. */
const NODES_MAX = 60_000
export const TOO_MANY = `holds over ${NODES_MAX / 1000},000 values`
export const TOO_DEEP = `is nested over ${NESTING_MAX} deep`

/** Whether a value parsed from JSON nests deeper than that. */
export function nestsTooDeep(value: unknown): boolean {
	return isDeep(value, (item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
}

/** Whether it holds more values than anything of a bundle, before anything walks them. */
export function holdsTooMany(value: unknown): boolean {
	let count = 0
	const left = [value]
	while (left.length > 0) {
		const next = left.pop()
		if (typeof next !== 'object' || next === null) continue
		const values = Object.values(next)
		count += values.length
		if (count > NODES_MAX) return true
		for (const one of values) left.push(one)
	}
	return false
}

/** Level by level, as no recursion may meet such a value. */
export function isDeep(root: unknown, childrenOf: (item: unknown) => unknown[]): boolean {
	let level = [root]
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > NESTING_MAX) return true
		level = level.flatMap(childrenOf)
	}
	return false
}
