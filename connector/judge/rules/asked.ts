/** A question on a short text with its options, as the rules of picks.ts read it. All folded. */
export interface Asked {
	question: string
	options: readonly string[]
	text: string
	clauses: readonly string[]
	/** Places of the clauses that name each option. */
	named: readonly number[][]
}

/** Anywhere as a word of its own: "ann" in "the annual plan of ann". */
export function hasWord(text: string, word: string): boolean {
	if (word === '') return false
	const ends = (unit: string | undefined) => unit === undefined || !/[\p{L}\p{N}]/u.test(unit)
	for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
		if (ends(text[at - 1]) && ends(text[at + word.length])) return true
	return false
}
