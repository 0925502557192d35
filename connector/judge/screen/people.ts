/** Orders that are for people: contracts, reports of who told whom, notes among code, "ignore" of a thing that is no rule. */
const LEGAL =
	/\b(?:clause|agreement|contract(?:or)?|part(?:y|ies)|tenant|landlord|lessee|supplier|licensee|undersigned|hereby|pursuant|hereinafter|supersedes?|confidential information|shall)\b/g
/** Who told whom, no model and not the reader. */
export const TOLD =
	/\b(?:told|tells|ordered|orders|asked|asks|urged|urges|instructed|instructs|warned|advised|called on|reminded)\s+(?:the |his |her |their |its |all )?(?!you|me|us|it\b|assistants?|ai\b|agents?|models?|chat ?bots?|bots?)[\p{L}']+(?: [\p{L}']+)?\s+(?:not )?to\b/u
const CODE_LINE = /^\s*(?:\/\/|\/\*|#(?!\s*\p{Lu}\p{L}+\s*$)|--\s)/mu
const IGNORES =
	/\b(?:ignor\w*|disregard\w*|forget|vergess\w*|olvid\w*|oubli\w*|dimentic\w*|negeer\w*)\b(.{0,40})/g
/** What an attack wants ignored. */
const RULES =
	/\b(?:instruct\w*|rules?|prompts?|guideline\w*|polic\w*|above|previous|prior|preceding|earlier|before|following|everything|all|what|you|your|task|assignment|system|training|safety|restrict\w*|directive\w*|orders?|commands?|told|said|anweisung\w*|vorgaben?|regeln?|instruc\w*|reglas?|consign\w*|istruz\w*|regole|regras?|instruct\w*|regels)\b/

/** A contract speaks to nobody. */
const SPOKEN = /\b(?:you|your|agents?|assistants?|ai|models?|bots?|system)\b/

/** How many kinds of signs say that what it asks is for people. */
export function forPeople(text: string): number {
	let kinds = 0
	if (!SPOKEN.test(text) && (text.match(LEGAL) ?? []).length >= 2) kinds++
	if (TOLD.test(text)) kinds++
	if (CODE_LINE.test(text)) kinds++
	const ignored = [...text.matchAll(IGNORES)]
	if (ignored.length && !ignored.some(([, object]) => RULES.test(object!))) kinds++
	return kinds
}
