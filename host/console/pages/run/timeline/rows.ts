import type { Effect, Timeline } from './types.ts'

export interface Row {
	effect: Effect
	depth: number
}

/** Each below what brought it about, in the order in which they began. */
export function rowsOf({ effects }: Timeline): Row[] {
	const known = new Set(effects.map(({ id }) => id))
	const below = new Map<string | null, Effect[]>()
	for (const effect of effects) {
		const parent = effect.parent !== null && known.has(effect.parent) ? effect.parent : null
		const list = below.get(parent)
		if (list) list.push(effect)
		else below.set(parent, [effect])
	}
	const rows: Row[] = []
	// A stack of its own: a chain of causes may be longer than the engine's.
	const open = (below.get(null) ?? []).toReversed().map((effect) => ({ effect, depth: 0 }))
	for (let row = open.pop(); row; row = open.pop()) {
		rows.push(row)
		const { effect, depth } = row
		for (const child of (below.get(effect.id) ?? []).toReversed())
			open.push({ effect: child, depth: depth + 1 })
	}
	return rows
}
