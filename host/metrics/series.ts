/** By name, in one order at every place that counts. */
export type Labels = Readonly<Record<string, string>>

export interface Sample {
	labels: Labels
	value: number
}

export interface Distribution {
	labels: Labels
	/** By upper bound, then those above all bounds; not summed up. */
	counts: number[]
	sum: number
}

/** What is told under one name, however it is sent. */
export type Family = { name: string; help: string } & (
	| { type: 'counter' | 'gauge'; samples: Sample[] }
	| { type: 'histogram'; bounds: readonly number[]; samples: Distribution[] }
)

/** Values come from agents and models, so that series are bounded: what has no room is counted as `other`. */
const seriesMost = 64

const keyOf = (labels: Labels) => Object.values(labels).join('\0')
const allOther = (labels: Labels): Labels =>
	Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']))

function bounded<T>(most: number, other: (labels: Labels) => Labels, make: (labels: Labels) => T) {
	const kept = new Map<string, T>()
	return {
		kept,
		of(labels: Labels): T {
			const known = kept.get(keyOf(labels))
			if (known !== undefined) return known
			const full = kept.size >= most
			const into = full ? other(labels) : labels
			const there = full ? kept.get(keyOf(into)) : undefined
			if (there !== undefined) return there
			const made = make(into)
			kept.set(keyOf(into), made)
			return made
		},
	}
}

/** `other`: the labels of what has no room; of few values, so that these are few series. */
export function counter(name: string, help: string, { most = seriesMost, other = allOther } = {}) {
	const series = bounded(most, other, (labels) => ({ labels, value: 0 }))
	return {
		add(labels: Labels, n = 1): void {
			series.of(labels).value += n
		},
		read: (): Family => ({ name, help, type: 'counter', samples: [...series.kept.values()] }),
	}
}

/** `bounds`: upper ones, in the unit of the name. */
export function histogram(name: string, help: string, bounds: readonly number[]) {
	const series = bounded(seriesMost, allOther, (labels) => ({
		labels,
		counts: Array<number>(bounds.length + 1).fill(0),
		sum: 0,
	}))
	return {
		observe(labels: Labels, value: number): void {
			const one = series.of(labels)
			const at = bounds.findIndex((bound) => value <= bound)
			one.counts[at === -1 ? bounds.length : at]! += 1
			one.sum += value
		},
		read: (): Family => ({ name, help, type: 'histogram', bounds, samples: [...series.kept.values()] }),
	}
}

export const gauge = (
	name: string,
	help: string,
	value: number | undefined,
	labels: Labels = {},
): Family => ({
	name,
	help,
	type: 'gauge',
	samples: value === undefined ? [] : [{ labels, value }],
})
