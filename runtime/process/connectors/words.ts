/** Of what a server said: enough to recognise a fault by, too little to fill an event with. */
const SAID_MAX_CHARS = 500

/** A stranger's text on one line; also without what would turn the order of letters or hide some (U+202E, U+200B). */
export function boundedWords(text: string, maxChars = SAID_MAX_CHARS): string {
	return text
		.slice(0, maxChars)
		.toWellFormed()
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Of a scope as OAuth writes it, names between spaces (RFC 6749 §3.3). */
export const scopeNames = (scope: string | null | undefined): string[] =>
	(scope ?? '').split(' ').filter(Boolean)
