/** TextEncoder, TextDecoder (UTF-8), atob and btoa: V8 alone has none of them. */
import { define } from './globals.ts'

export function installTextCoding(): void {
	define(globalThis, 'TextEncoder', Encoder)
	define(globalThis, 'TextDecoder', Decoder)
	define(globalThis, 'btoa', toBase64)
	define(globalThis, 'atob', fromBase64)
}

class Encoder {
	readonly encoding = 'utf-8'
	encode(text = ''): Uint8Array {
		const escaped = encodeURIComponent(String(text).toWellFormed())
		const bytes = new Uint8Array(escaped.length)
		let length = 0
		for (let i = 0; i < escaped.length; i++) {
			const code = escaped.charCodeAt(i)
			if (code === 37 /* % */) {
				bytes[length++] = Number.parseInt(escaped.slice(i + 1, i + 3), 16)
				i += 2
			} else bytes[length++] = code
		}
		return bytes.slice(0, length)
	}
}

/** What follows a first byte: how many bytes, the bits it carries, and the least code that may be so long. */
function sequenceOf(byte: number): [length: number, bits: number, least: number] {
	if (byte < 0x80) return [1, byte, 0]
	if (byte >= 0xc2 && byte < 0xe0) return [2, byte & 0x1f, 0x80]
	if (byte >= 0xe0 && byte < 0xf0) return [3, byte & 0x0f, 0x800]
	if (byte >= 0xf0 && byte < 0xf5) return [4, byte & 0x07, 0x10000]
	return [0, 0, 0]
}

class Decoder {
	readonly encoding = 'utf-8'
	readonly fatal: boolean
	constructor(label = 'utf-8', { fatal = false }: { fatal?: boolean } = {}) {
		if (!/^utf-?8$/i.test(label)) throw new RangeError(`only utf-8 can be decoded, not ${label}`)
		this.fatal = fatal
	}

	decode(input: ArrayBuffer | ArrayBufferView = new Uint8Array(0)): string {
		const bytes = ArrayBuffer.isView(input)
			? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
			: new Uint8Array(input)
		let text = ''
		for (let i = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; i < bytes.length; ) {
			let [length, code, least] = sequenceOf(bytes[i]!)
			let taken = 1
			while (taken < length && (bytes[i + taken]! & 0xc0) === 0x80)
				code = (code << 6) | (bytes[i + taken++]! & 0x3f)
			const good = taken === length && code >= least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
			if (!good && this.fatal) throw new TypeError('the data is not valid utf-8')
			text += good ? String.fromCodePoint(code) : '\ufffd'
			i += taken
			length = 0
		}
		return text
	}
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function toBase64(binary: string): string {
	const text = String(binary)
	let out = ''
	for (let i = 0; i < text.length; i += 3) {
		const [a, b, c] = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)]
		if (a > 255 || b > 255 || c > 255) throw new RangeError('btoa takes characters up to U+00FF')
		out += ALPHABET[a >> 2]! + ALPHABET[((a & 3) << 4) | (b >> 4)]!
		out += i + 1 < text.length ? ALPHABET[((b & 15) << 2) | (c >> 6)]! : '='
		out += i + 2 < text.length ? ALPHABET[c & 63]! : '='
	}
	return out
}

function fromBase64(encoded: string): string {
	const text = String(encoded)
		.replace(/[\t\n\f\r ]/g, '')
		.replace(/={1,2}$/, '')
	if (text.length % 4 === 1) throw new RangeError('atob takes base64')
	let out = ''
	let bits = 0
	for (let i = 0; i < text.length; i++) {
		const value = ALPHABET.indexOf(text[i]!)
		if (value < 0) throw new RangeError('atob takes base64')
		bits = (bits << 6) | value
		if (i % 4 !== 0) out += String.fromCharCode((bits >> (6 - 2 * (i % 4))) & 255)
	}
	return out
}
