/** Pieces of words: of all ways to cut a text into pieces that the encoder knows, the likeliest one. */

const SPACE = '▁'
/** The first entries mark unknown letters, beginnings and ends: none is a piece. */
const RESERVED = 6
const UNKNOWN = 0
const LONGEST_PIECE_UNITS = 20
/** An unknown letter costs more than any piece: it is the last way out. */
const COST_UNKNOWN = 30

export type Cut = (text: string, most: number) => number[]

/** `costs` are in the order of `pieces`. */
export function cutter(pieces: readonly string[], costs: ArrayLike<number>): Cut {
	const ids = new Map<string, number>()
	for (let id = RESERVED; id < pieces.length; id++) ids.set(pieces[id]!, id)
	return (text, most) => {
		const line = spaced(text, most)
		const best = new Float64Array(line.length + 1).fill(Number.POSITIVE_INFINITY)
		const from = new Int32Array(line.length + 1)
		const piece = new Int32Array(line.length + 1)
		best[0] = 0
		for (let start = 0; start < line.length; start++)
			for (let end = start + 1; end <= Math.min(line.length, start + LONGEST_PIECE_UNITS); end++) {
				const id = ids.get(line.slice(start, end)) ?? UNKNOWN
				if (!id && end > start + 1) continue
				const cost = best[start]! + (id ? costs[id]! : COST_UNKNOWN)
				if (cost >= best[end]!) continue
				best[end] = cost
				from[end] = start
				piece[end] = id
			}
		const cut: number[] = []
		for (let end = line.length; end > 0; end = from[end]!) cut.push(piece[end]!)
		return cut.reverse().slice(0, most)
	}
}

/** The beginning, long enough for so many pieces, in one line. */
const spaced = (text: string, most: number): string =>
	SPACE +
	text
		.slice(0, most * LONGEST_PIECE_UNITS)
		.normalize('NFKC')
		.trim()
		.replace(/\s+/gu, SPACE)
		.slice(0, most * UNITS_READ)

/** English has four or five letters a piece; a text of rarer ones is read less far. */
const UNITS_READ = 8
