/** A question on a short text with its options, as the rules of picks.ts read it. All folded. */
export interface Asked {
	question: string
	options: readonly string[]
	text: string
	clauses: readonly string[]
	/** Places of the clauses that name each option. */
	named: readonly number[][]
}

/** As a word or words of their own. */
export function hasWord(text: string, word: string): boolean {
	const at = text.indexOf(word)
	const ends = (unit: string | undefined) => unit === undefined || !/[\p{L}\p{N}]/u.test(unit)
	return word !== '' && at >= 0 && ends(text[at - 1]) && ends(text[at + word.length])
}
