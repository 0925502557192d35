/**
 * Character classes, computed once per code unit when first met: a table of all 65,536 would cost more at load than
 * most texts cost to read. Scripts written without spaces (`ideograph`) become one token per character.
 */
export const SPACE = 1
export const LETTER = 2
export const DIGIT = 3
export const IDEOGRAPH = 4
export const MARK = 5
export const OTHER = 6

const table = new Uint8Array(65_536)
const letter = /^\p{L}$/u
const mark = /^\p{M}$/u
const digit = /^\p{Nd}$/u
const space = /^\s$/u

export function classOf(unit: number): number {
	const known = table[unit]!
	if (known) return known
	const found = classify(unit)
	table[unit] = found
	return found
}

function classify(unit: number): number {
	if (unspaced(unit)) return IDEOGRAPH
	if (unit >= 0xd800 && unit <= 0xdfff) return OTHER
	const char = String.fromCharCode(unit)
	if (letter.test(char)) return LETTER
	if (digit.test(char)) return DIGIT
	if (mark.test(char)) return MARK
	return space.test(char) ? SPACE : OTHER
}

/** Han, kana, Thai, Lao, Khmer, Myanmar. Hangul has spaces. */
function unspaced(unit: number): boolean {
	return (
		(unit >= 0x3040 && unit <= 0x30ff) ||
		(unit >= 0x3400 && unit <= 0x9fff) ||
		(unit >= 0xf900 && unit <= 0xfaff) ||
		(unit >= 0x0e01 && unit <= 0x0eff) ||
		(unit >= 0x1000 && unit <= 0x109f) ||
		(unit >= 0x1780 && unit <= 0x17ff)
	)
}

export const isUpper = (unit: number): boolean => {
	if (unit < 128) return unit >= 65 && unit <= 90
	const char = String.fromCharCode(unit)
	return char.toLowerCase() !== char
}
