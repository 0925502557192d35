/**
 * The text as a reader sees it, in one spelling: lower case, compatibility forms and accents folded, invisible
 * characters dropped, look-alike letters of another script replaced inside a word that mixes scripts. Every folded
 * unit keeps the offset it came from, so that spans can be given in the caller's own text.
 */
import { classOf, LETTER } from './chars.ts'

export interface Folded {
	text: string
	/** Offset in the source of every folded unit; one more at the end for the length of the source. */
	at: Uint32Array
	/** Invisible characters dropped or decoded, and look-alikes replaced: signs of an attempt to hide. */
	hidden: number
	lookalikes: number
}

/** Longest replacement of one character; a few Arabic ligatures would grow eighteenfold. */
const LONGEST_FOLD_UNITS = 3

export function fold(source: string): Folded {
	const units = new Uint16Array(source.length * LONGEST_FOLD_UNITS + 1)
	const at = new Uint32Array(source.length * LONGEST_FOLD_UNITS + 2)
	let size = 0
	let hidden = 0
	for (let i = 0; i < source.length; i++) {
		const unit = source.charCodeAt(i)
		if (unit < 128) {
			units[size] = unit >= 65 && unit <= 90 ? unit + 32 : unit
			at[size++] = i
			continue
		}
		const wide = unit >= 0xd800 && unit <= 0xdbff && i + 1 < source.length
		const point = wide ? source.codePointAt(i)! : unit
		if (invisible(point)) {
			hidden++
			// Tag characters spell ASCII that no reader sees but a model does.
			if (point >= 0xe0020 && point < 0xe007f) {
				units[size] = String.fromCharCode(point - 0xe0000)
					.toLowerCase()
					.charCodeAt(0)
				at[size++] = i
			}
		} else {
			const folded = foldPoint(point)
			for (let k = 0; k < folded.length && k < LONGEST_FOLD_UNITS; k++) {
				units[size] = folded.charCodeAt(k)
				at[size++] = i
			}
		}
		if (wide) i++
	}
	const lookalikes = unmix(units, size)
	at[size] = source.length
	const text = Buffer.from(units.buffer, 0, size * 2).toString('utf16le')
	return { text, at: at.subarray(0, size + 1), hidden, lookalikes }
}

const folds = new Map<number, string>()

function foldPoint(point: number): string {
	let folded = folds.get(point)
	if (folded === undefined) {
		const plain = String.fromCodePoint(point)
			.normalize('NFKD')
			.replace(/[\u0300-\u036f]/g, '')
			.toLowerCase()
		folded = QUOTES.get(plain) ?? plain.normalize('NFC')
		if (folds.size < 20_000) folds.set(point, folded)
	}
	return folded
}

const QUOTES = new Map([
	['’', "'"],
	['‘', "'"],
	['“', '"'],
	['”', '"'],
	['–', '-'],
	['—', '-'],
	['‑', '-'],
	['ß', 'ss'],
	['ı', 'i'],
])

function invisible(point: number): boolean {
	return (
		(point >= 0x200b && point <= 0x200f) ||
		(point >= 0x202a && point <= 0x202e) ||
		(point >= 0x2060 && point <= 0x206f) ||
		point === 0xfeff ||
		point === 0x00ad ||
		point === 0x034f ||
		point === 0x180e ||
		(point >= 0xfe00 && point <= 0xfe0f) ||
		(point >= 0xe0000 && point <= 0xe01ef)
	)
}

const CYRILLIC = 'аеосрхуіјѕԁһӏвкмнтԛԝгԍ'
const CYRILLIC_AS = 'aeocpxyijsdhlbkmhtqwrg'
const GREEK = 'αορτυικνεχγωη'
const GREEK_AS = 'aoptuikvexywn'
const ARMENIAN = 'օոսհցզ'
const ARMENIAN_AS = 'onuhgq'
const alike = new Map<number, number>()
for (const [from, to] of [
	[CYRILLIC, CYRILLIC_AS],
	[GREEK, GREEK_AS],
	[ARMENIAN, ARMENIAN_AS],
] as const) {
	for (let i = 0; i < from.length; i++) alike.set(from.charCodeAt(i), to.charCodeAt(i))
}

/** Replaces look-alikes in words that also have Latin letters, in place; how many. */
function unmix(units: Uint16Array, size: number): number {
	let replaced = 0
	for (let start = 0; start < size; ) {
		if (classOf(units[start]!) !== LETTER) {
			start++
			continue
		}
		let end = start
		let latin = 0
		let foreign = 0
		for (; end < size && classOf(units[end]!) === LETTER; end++) {
			if (units[end]! < 0x250) latin++
			else if (alike.has(units[end]!)) foreign++
		}
		if (latin && foreign) {
			for (let i = start; i < end; i++) {
				const plain = alike.get(units[i]!)
				if (plain === undefined) continue
				units[i] = plain
				replaced++
			}
		}
		start = end
	}
	return replaced
}
