/** A question on a short text with its options, as the rules of picks.ts read it. All folded. */
export interface Asked {
	question: string
	options: readonly string[]
	text: string
	clauses: readonly string[]
	/** Places of the clauses that name each option. */
	named: readonly number[][]
}

/** Where it stands as a word of its own: "ann" in "the annual plan of ann"; −1 where it does not. */
export function wordAt(text: string, word: string): number {
	if (word === '') return -1
	const ends = (unit: string | undefined) => unit === undefined || !/[\p{L}\p{N}]/u.test(unit)
	for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
		if (ends(text[at - 1]) && ends(text[at + word.length])) return at
	return -1
}

export const hasWord = (text: string, word: string): boolean => wordAt(text, word) >= 0
