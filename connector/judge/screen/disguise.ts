/**
 * What a text says in disguise: letters spaced out or swapped for digits, base64, hexadecimal, percent escapes, ROT13,
 * backwards. Each finding is read like a further sentence, at the place of the disguise. All passes are linear and
 * bounded; a finding counts only where it reads as words.
 */
import { classOf, DIGIT, IDEOGRAPH, LETTER, SPACE } from '../text/chars.ts'
import type { Document, Sentence } from '../text/document.ts'
import { fold } from '../text/fold.ts'
import { wordId } from '../text/lexicon.ts'
import { STOP_WORDS } from '../text/stopwords.ts'
import { tokenize } from '../text/tokens.ts'

const MOST_FINDINGS = 40
const LONGEST_DECODED_UNITS = 1_000
const KNOWN_SHARE = 0.6

export function disguised(document: Document): Sentence[] {
	const found: Sentence[] = []
	const add = (plain: string | null, span: Sentence['span']) => {
		if (!plain || found.length >= MOST_FINDINGS) return
		const { text } = fold(plain.slice(0, LONGEST_DECODED_UNITS))
		const tokens = tokenize(text)
		if (tokens.words.length >= 2 && known(tokens.words) >= KNOWN_SHARE) found.push({ ...tokens, text, span })
	}
	for (const sentence of document.sentences) {
		if (found.length >= MOST_FINDINGS) break
		const { text, span, words } = sentence
		add(unspaced(text), span)
		if (!words.some((word) => classOf(word.charCodeAt(0)) === IDEOGRAPH) && known(words) < KNOWN_SHARE) {
			add(unleet(text), span)
			if (words.length >= 3) {
				add(rotated(text), span)
				add([...text].reverse().join(''), span)
			}
		} else if (words.some(mixed)) add(unleet(text), span)
		const raw = document.source.slice(span.start, span.end)
		for (const plain of encoded(raw)) add(plain, span)
	}
	return found
}

/** Share of the words that are words. */
function known(words: readonly string[]): number {
	let count = 0
	for (const word of words) if (wordId(word) >= 0 || STOP_WORDS.has(word)) count++
	return words.length ? count / words.length : 0
}

const mixed = (word: string): boolean => {
	let letters = 0
	let digits = 0
	for (let i = 0; i < word.length; i++) {
		const kind = classOf(word.charCodeAt(i))
		if (kind === LETTER) letters++
		else if (kind === DIGIT) digits++
	}
	return letters > 1 && digits > 0
}

const LEET: Record<string, string> = {
	0: 'o',
	1: 'i',
	3: 'e',
	4: 'a',
	5: 's',
	7: 't',
	8: 'b',
	'@': 'a',
	$: 's',
	'!': 'i',
	'|': 'i',
	'+': 't',
}

function unleet(text: string): string | null {
	let changed = 0
	let out = ''
	for (let i = 0; i < text.length; i++) {
		const plain = LEET[text[i]!]
		const beside = near(text, i - 1) || near(text, i + 1)
		if (plain && beside) {
			out += plain
			changed++
		} else out += text[i]
	}
	return changed >= 2 ? out : null
}

const near = (text: string, i: number): boolean =>
	i >= 0 && i < text.length && (classOf(text.charCodeAt(i)) === LETTER || LEET[text[i]!] !== undefined)

/** "i g n o r e  a l l" and "i.g.n.o.r.e": single letters with one separator between; a wider gap parts words. */
function unspaced(text: string): string | null {
	let out = ''
	let run = ''
	let longest = 0
	for (let i = 0; i < text.length; ) {
		if (classOf(text.charCodeAt(i)) !== LETTER) {
			i++
			continue
		}
		let end = i
		while (end < text.length && classOf(text.charCodeAt(end)) === LETTER) end++
		if (end - i === 1) {
			run += text[i]
			longest = Math.max(longest, run.length)
			let gap = end
			while (gap < text.length && classOf(text.charCodeAt(gap)) !== LETTER) gap++
			if (gap - end > 2) run += ' '
			i = gap
		} else {
			out += `${segment(run)} ${text.slice(i, end)} `
			run = ''
			i = end
		}
	}
	return longest >= 5 ? out + segment(run) : null
}

/** Cuts letters run together into the longest words known, from the left. */
function segment(letters: string): string {
	const out: string[] = []
	for (const part of letters.split(' ')) {
		for (let i = 0; i < part.length; ) {
			let length = Math.min(14, part.length - i)
			while (length > 1 && wordId(part.slice(i, i + length)) < 0) length--
			out.push(part.slice(i, i + length))
			i += length
		}
	}
	return out.join(' ')
}

function rotated(text: string): string {
	let out = ''
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i)
		out += unit >= 97 && unit <= 122 ? String.fromCharCode(((unit - 97 + 13) % 26) + 97) : text[i]
	}
	return out
}

const SHORTEST_RUN = 16

/** Runs of base64, hexadecimal or percent escapes that decode to text. */
function encoded(raw: string): string[] {
	const found: string[] = []
	for (let i = 0; i < raw.length && found.length < 4; ) {
		let end = i
		while (end < raw.length && classOf(raw.charCodeAt(end)) !== SPACE && end - i < 4 * LONGEST_DECODED_UNITS)
			end++
		if (end - i >= SHORTEST_RUN) {
			const run = raw.slice(i, end)
			for (const plain of [percent(run), ...alphabetRuns(run)]) if (plain) found.push(plain)
		}
		i = end + 1
	}
	return found
}

function alphabetRuns(run: string): (string | null)[] {
	const core = run.replace(/[^A-Za-z0-9+/=_-]/g, ' ').split(' ')
	return core
		.filter((part) => part.length >= SHORTEST_RUN)
		.map((part) =>
			part.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(part)
				? printable(Buffer.from(part, 'hex'))
				: printable(Buffer.from(part, 'base64')),
		)
}

function percent(run: string): string | null {
	if ((run.match(/%[0-9a-fA-F]{2}/g)?.length ?? 0) < 4) return null
	try {
		return decodeURIComponent(run.replaceAll('+', ' '))
	} catch {
		return null
	}
}

function printable(bytes: Buffer): string | null {
	let plain = 0
	for (const byte of bytes) if ((byte >= 32 && byte < 127) || byte === 10) plain++
	return bytes.length >= 8 && plain / bytes.length > 0.95 ? bytes.toString('latin1') : null
}
