import type { Encode, TokenizerFile } from './tokenizer.ts'

const LONGEST_WORD_UNITS = 100

/** Words and punctuation, each cut into the longest pieces known, from the left. */
export function wordPiece({
	vocab,
	unk_token = '[UNK]',
	continuing_subword_prefix: prefix = '##',
}: TokenizerFile['model']): Encode {
	const ids = new Map(Object.entries(vocab as Record<string, number>))
	const unknown = ids.get(unk_token) ?? 0
	return (text) =>
		text
			.match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu)
			?.flatMap((word) => piecesOf(word, ids, prefix) ?? [unknown]) ?? []
}

function piecesOf(word: string, ids: Map<string, number>, prefix: string): number[] | null {
	if (word.length > LONGEST_WORD_UNITS) return null
	const out: number[] = []
	for (let start = 0; start < word.length; ) {
		let end = word.length
		let id: number | undefined
		for (; end > start; end--) {
			id = ids.get((start ? prefix : '') + word.slice(start, end))
			if (id !== undefined) break
		}
		if (id === undefined) return null
		out.push(id)
		start = end
	}
	return out
}
