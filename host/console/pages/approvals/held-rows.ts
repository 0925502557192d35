/**
 * Rows that are shown keep their places, whatever was read since: under a pointer or a focus stands what stood there.
 * Older ones come below them; newer ones are `fresh`, until they are asked for. Ids follow time.
 */
export function heldRows<T extends { id: string }>(
	shown: T[],
	read: T[],
): { rows: T[]; fresh: T[]; gone: T[] } {
	const now = new Map(read.map((row) => [row.id, row]))
	const before = new Set(shown.map(({ id }) => id))
	const last = shown.at(-1)
	const added = read.filter(({ id }) => !before.has(id))
	const isBelow = ({ id }: T) => last === undefined || id < last.id
	return {
		rows: [...shown.map((row) => now.get(row.id) ?? row), ...added.filter(isBelow)],
		fresh: added.filter((row) => !isBelow(row)),
		gone: shown.filter(({ id }) => !now.has(id)),
	}
}
