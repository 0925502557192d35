/** Seeded random numbers (mulberry32): the same on every machine. */
export function random(seed: number): () => number {
	let state = seed >>> 0
	return () => {
		state = (state + 0x6d2b79f5) >>> 0
		let t = state
		t = Math.imul(t ^ (t >>> 15), t | 1)
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
	}
}

export function shuffle<T>(list: T[], next: () => number): T[] {
	for (let i = list.length - 1; i > 0; i--) {
		const j = Math.floor(next() * (i + 1))
		const held = list[i]!
		list[i] = list[j]!
		list[j] = held
	}
	return list
}
