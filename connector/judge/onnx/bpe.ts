import type { Encode, TokenizerFile } from './tokenizer.ts'

/** GPT-2's alphabet: every byte as a printable character. */
const ALPHABET = (() => {
	const printable = (byte: number) =>
		(byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
	let next = 256
	return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++))
})()

const LONGEST_WORD_BYTES = 400

/** Byte-level BPE: a word is its bytes, joined by the merges in their order of rank. */
export function bpe({ vocab, merges = [], unk_token }: TokenizerFile['model']): Encode {
	const ids = new Map(Object.entries(vocab as Record<string, number>))
	const ranks = new Map(
		merges.map((merge, rank) => [typeof merge === 'string' ? merge : merge.join(' '), rank]),
	)
	const unknown = unk_token ? (ids.get(unk_token) ?? 0) : 0
	const cache = new Map<string, number[]>()
	return (text) => {
		const words = text.match(/'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+/gu) ?? []
		return words.flatMap((word) => {
			const known = cache.get(word)
			if (known) return known
			const symbols = [...Buffer.from(word).subarray(0, LONGEST_WORD_BYTES)].map((byte) => ALPHABET[byte]!)
			const found = merged(symbols, ranks).map((symbol) => ids.get(symbol) ?? unknown)
			if (cache.size < 50_000) cache.set(word, found)
			return found
		})
	}
}

function merged(symbols: string[], ranks: Map<string, number>): string[] {
	const list = symbols
	for (;;) {
		let best = -1
		let lowest = Number.POSITIVE_INFINITY
		for (let i = 0; i + 1 < list.length; i++) {
			const rank = ranks.get(`${list[i]} ${list[i + 1]}`)
			if (rank !== undefined && rank < lowest) [best, lowest] = [i, rank]
		}
		if (best < 0) return list
		list.splice(best, 2, list[best]! + list[best + 1]!)
	}
}
