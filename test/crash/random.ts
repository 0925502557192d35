/** Mulberry32: the same seed, the same kills. */
export function randomFrom(seed: number): () => number {
	let state = seed >>> 0
	return () => {
		state = (state + 0x6d2b79f5) >>> 0
		let t = state
		t = Math.imul(t ^ (t >>> 15), t | 1)
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
	}
}

/** In another order, by the same source. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
	return items
		.map((item) => ({ item, at: random() }))
		.sort((a, b) => a.at - b.at)
		.map(({ item }) => item)
}
