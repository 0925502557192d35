/** Words of a folded text: letters and digits run together, numbers in one spelling, one token per ideograph. */
import { classOf, DIGIT, IDEOGRAPH, LETTER, MARK } from './chars.ts'
import { stem } from './stem.ts'

export interface Tokens {
	words: string[]
	stems: string[]
	/** Offsets in the folded text. */
	starts: number[]
	ends: number[]
}

const LONGEST_WORD_UNITS = 48

export function tokenize(text: string, from = 0, to = text.length): Tokens {
	const tokens: Tokens = { words: [], stems: [], starts: [], ends: [] }
	for (let i = from; i < to; ) {
		const kind = classOf(text.charCodeAt(i))
		let end = i + 1
		if (kind === IDEOGRAPH) push(tokens, text.slice(i, end), i, end)
		else if (kind === DIGIT) {
			end = numberEnd(text, i, to)
			// "1990s", "5kg", "b2b": letters stay with their digits only when short.
			push(tokens, plainNumber(text.slice(i, end)), i, end)
		} else if (kind === LETTER) {
			end = wordEnd(text, i, to)
			push(tokens, text.slice(i, end), i, end)
		}
		i = end
	}
	return tokens
}

function push(tokens: Tokens, word: string, start: number, end: number): void {
	tokens.words.push(word)
	tokens.stems.push(stem(word))
	tokens.starts.push(start)
	tokens.ends.push(end)
}

function wordEnd(text: string, start: number, to: number): number {
	let end = start + 1
	const limit = Math.min(to, start + LONGEST_WORD_UNITS)
	for (; end < limit; end++) {
		const unit = text.charCodeAt(end)
		const kind = classOf(unit)
		if (kind === LETTER || kind === MARK || kind === DIGIT) continue
		// An apostrophe between letters belongs to the word: don't, l'eau.
		if (unit === 39 && end + 1 < to && classOf(text.charCodeAt(end + 1)) === LETTER) continue
		break
	}
	return end
}

function numberEnd(text: string, start: number, to: number): number {
	let end = start + 1
	const limit = Math.min(to, start + LONGEST_WORD_UNITS)
	for (; end < limit; end++) {
		const unit = text.charCodeAt(end)
		if (classOf(unit) === DIGIT) continue
		if ((unit === 44 || unit === 46) && end + 1 < to && classOf(text.charCodeAt(end + 1)) === DIGIT) continue
		break
	}
	return end
}

/** 1,200 and 1.200 are 1200; 12.50 stays; 3,5 is 3.5. */
function plainNumber(number: string): string {
	if (number.length < 4 && !number.includes(',') && !number.includes('.')) return number
	const parts = number.split(/[.,]/)
	if (parts.length === 1) return number
	const grouped =
		parts[0]!.length <= 3 && parts[0] !== '0' && parts.slice(1).every((part) => part.length === 3)
	if (grouped) return parts.join('')
	const decimals = parts.pop()!
	return parts.join('') + (Number(decimals) ? `.${decimals}` : '')
}
