import type { Encode, TokenizerFile } from './tokenizer.ts'

const LONGEST_PIECE_UNITS = 24
const UNKNOWN_COST = -20

/** SentencePiece: spaces become ▁, and each word takes the pieces of the highest summed log-probability (Viterbi). */
export function unigram({ vocab, unk_id = 0 }: TokenizerFile['model']): Encode {
	const pieces = new Map((vocab as [string, number][]).map(([piece, score], id) => [piece, { id, score }]))
	return (text) =>
		text
			.split(/\s+/)
			.filter(Boolean)
			.flatMap((word) => best(`▁${word}`, pieces, unk_id))
}

function best(word: string, pieces: Map<string, { id: number; score: number }>, unknown: number): number[] {
	const scores = new Float64Array(word.length + 1).fill(Number.NEGATIVE_INFINITY)
	const from = new Int32Array(word.length + 1)
	const by = new Int32Array(word.length + 1)
	scores[0] = 0
	for (let end = 1; end <= word.length; end++) {
		for (let start = Math.max(0, end - LONGEST_PIECE_UNITS); start < end; start++) {
			const piece = pieces.get(word.slice(start, end))
			const score =
				scores[start]! + (piece?.score ?? (end - start === 1 ? UNKNOWN_COST : Number.NEGATIVE_INFINITY))
			if (score <= scores[end]!) continue
			scores[end] = score
			from[end] = start
			by[end] = piece?.id ?? unknown
		}
	}
	const out: number[] = []
	for (let end = word.length; end > 0; end = from[end]!)
		if (by[end] !== unknown || out.at(-1) !== unknown) out.push(by[end]!)
	return out.reverse()
}
