/**
 * Finds a secret whose characters are escaped, each in a way of its own: `\u0073` in either case and behind up to four
 * backslashes, `\x73`, `\/`, `%73` also encoded again, `&#115;`; broken by the line end that joins an answer's parts.
 */
export interface Spelling {
	/** The text with every such spelling replaced. */
	replace(text: string, mark: string): string
	/** Length of the longest end of the text that may be the beginning of one. */
	unfinished(text: string): number
}

/** Without one of these nothing is escaped or broken. */
const HINT = /[\\%&\n]/
/** More is no spelling of one character, and would be held back for nothing. */
const LONGEST = 24
const ESCAPE =
	/\\{1,4}(?:u([0-9a-f]{4})|u\{0{0,4}([0-9a-f]{1,4})\}|x([0-9a-f]{2}))|%(?:25){0,4}([0-9a-f]{2})|&#0{0,4}(\d{1,5});|&#x0{0,4}([0-9a-f]{1,4});/iy
const UNFINISHED_ESCAPE =
	/^(?:\\{1,4}(?:u(?:[0-9a-f]{0,3}|\{[0-9a-f]{0,8})|x[0-9a-f]?)?|%(?:25){0,4}[0-9a-f]?|&(?:#x?[0-9a-f]{0,9})?)$/i

export function spellingOf(secret: string): Spelling {
	const starts = new RegExp(`[${(secret[0] as string).replace(/[\]^-]/, '\\$&')}\\\\%&]`, 'g')

	/** Where the spelling that begins at `from` ends; -1: there is none; Infinity: the text, which may go on, ends before it. */
	const endAt = (text: string, from: number, goesOn: boolean): number => {
		let at = from
		for (let i = 0; i < secret.length; i++) {
			if (i > 0 && text[at] === '\n') at++
			if (goesOn && (at >= text.length || isUnfinished(text, at))) return Number.POSITIVE_INFINITY
			const length = charAt(text, at, secret[i] as string)
			if (length === 0) return -1
			at += length
		}
		return at
	}
	return {
		replace(text, mark) {
			if (!HINT.test(text)) return text
			let clean = ''
			let kept = 0
			for (let at = nextIn(starts, text, 0); at >= 0; at = nextIn(starts, text, at)) {
				const end = endAt(text, at, false)
				if (end < 0) at++
				else {
					clean += text.slice(kept, at) + mark
					kept = at = end
				}
			}
			return kept === 0 ? text : clean + text.slice(kept)
		},
		unfinished(text) {
			let at = nextIn(starts, text, Math.max(0, text.length - secret.length * LONGEST))
			while (at >= 0 && endAt(text, at, true) !== Number.POSITIVE_INFINITY) at = nextIn(starts, text, at + 1)
			return at < 0 ? 0 : text.length - at
		},
	}
}

/** Characters that `wanted` is spelled with at `at`; 0: it is not there. */
function charAt(text: string, at: number, wanted: string): number {
	const first = text[at]
	const escaped = first === '\\' || first === '%' || first === '&'
	if (!escaped) return first === wanted ? 1 : 0
	ESCAPE.lastIndex = at
	const found = ESCAPE.exec(text)
	if (found) {
		const [whole, u, braced, x, percent, decimal, hex] = found
		const digits = u ?? braced ?? x ?? percent ?? hex ?? ''
		const code = decimal === undefined ? Number.parseInt(digits, 16) : Number(decimal)
		if (code === wanted.charCodeAt(0)) return whole.length
	}
	if (first === wanted) return 1
	let slashes = 0
	while (slashes < 4 && text[at + slashes] === '\\') slashes++
	return slashes > 0 && text[at + slashes] === wanted ? slashes + 1 : 0
}

function isUnfinished(text: string, at: number): boolean {
	return text.length - at <= LONGEST && UNFINISHED_ESCAPE.test(text.slice(at))
}

/** -1: there is none from `from` on. */
function nextIn(pattern: RegExp, text: string, from: number): number {
	pattern.lastIndex = from
	return pattern.exec(text)?.index ?? -1
}
