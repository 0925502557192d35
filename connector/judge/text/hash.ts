/** FNV-1a over UTF-16 units, 32 bits: the feature hash of every model here. */
export function hash(text: string, seed = 0x811c9dc5): number {
	let h = seed
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
	return mix(h)
}

/** Spreads a weak hash over all bits. */
export function mix(h: number): number {
	h ^= h >>> 16
	h = Math.imul(h, 0x7feb352d)
	h ^= h >>> 15
	h = Math.imul(h, 0x846ca68b)
	return (h ^ (h >>> 16)) >>> 0
}
