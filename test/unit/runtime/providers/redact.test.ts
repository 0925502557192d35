import { describe, expect, test } from 'vitest'
import { createScrubber } from '../../../../runtime/process/providers/index.ts'

const SECRET = 'sk-prod/AbC+123="quoted"\\end'
const scrubber = createScrubber([SECRET])
const bytes = Buffer.from(SECRET)

const hex = (c: string) => c.charCodeAt(0).toString(16).padStart(2, '0')
const unicode = (c: string) => `\\u00${hex(c)}`
const percent = (c: string) => `%${hex(c)}`
const escapes = [
	unicode,
	percent,
	(c: string) => c,
	(c: string) => `\\x${hex(c)}`,
	(c: string) => `&#${c.charCodeAt(0)};`,
]

const forms: [name: string, text: string][] = [
	['raw', SECRET],
	['JSON', JSON.stringify({ key: SECRET })],
	['JSON with escaped slashes', JSON.stringify(SECRET).replaceAll('/', '\\/')],
	['URL-encoded', `?key=${encodeURIComponent(SECRET)}&x=1`],
	['URL-encoded in lower case', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
	['base64', bytes.toString('base64')],
	['base64url', bytes.toString('base64url')],
	['base64 of a header, offset 1', btoa(`a${SECRET}bc`)],
	['base64 of a header, offset 2', btoa(`ab${SECRET}c`)],
	['base64 of a Basic header', btoa(`user:${SECRET}`)],
	['hex', bytes.toString('hex')],
	['JSON escapes', [...SECRET].map(unicode).join('')],
	[
		'JSON escapes in upper case',
		[...SECRET].map((c) => unicode(c).replace(/.{4}$/, (x) => x.toUpperCase())).join(''),
	],
	['JSON escapes, escaped again', [...SECRET].map((c) => `\\\\${unicode(c)}`).join('')],
	['every second character escaped', [...SECRET].map((c, i) => (i % 2 ? unicode(c) : c)).join('')],
	['percent, JSON and HTML escapes mixed', [...SECRET].map((c, i) => escapes[i % 5]!(c)).join('')],
	['percent-encoded twice', [...SECRET].map((c) => percent(c).replace('%', '%25')).join('')],
	['over the parts of an answer', [...SECRET].map((c, i) => (i % 6 === 5 ? `${c}\n` : c)).join('')],
	['HEX', bytes.toString('hex').toUpperCase()],
]

/** No run of six characters of the form may survive. */
function survives(form: string, text: string): boolean {
	for (let at = 8; at + 14 < form.length; at++) if (text.includes(form.slice(at, at + 6))) return true
	return false
}

describe('a secret', () => {
	// Proves: credential.redacted
	test.each(forms)('is taken out of a text: %s', (_name, form) => {
		const clean = scrubber.text(`before ${form} after`)
		expect(clean).toContain('[redacted]')
		expect(clean).toMatch(/^before .* after$/s)
		expect(survives(form, clean)).toBe(false)
	})

	// Proves: credential.redacted
	test.each(forms)('is taken out of a stream cut anywhere: %s', (_name, form) => {
		const whole = `before ${form} after ${form.slice(0, 9)}`
		const expected = scrubber.text(whole)
		for (const size of [1, 2, 3, 7, 31]) {
			const stream = scrubber.stream()
			let out = ''
			for (let at = 0; at < whole.length; at += size) out += stream.push(whole.slice(at, at + size))
			expect(out + stream.end()).toBe(expected)
		}
	})

	// Proves: credential.redacted
	test('is taken out of every string of a value, names of members included', () => {
		const value = { a: [1, null, { [SECRET]: SECRET }], b: 'fine' }
		expect(scrubber.json(value)).toEqual({ a: [1, null, { '[redacted]': '[redacted]' }], b: 'fine' })
	})
})

test('a value without a secret stays the same object', () => {
	const value = { a: [1, 'two', { three: null }], b: true }
	expect(scrubber.json(value)).toBe(value)
})

test('a stream holds back no more than what a secret may begin with', () => {
	const stream = scrubber.stream()
	expect(stream.push('nothing to hide s')).toBe('nothing to hide ')
	expect(stream.push('o it comes out')).toBe('so it comes out')
	expect(stream.push(' sk-pro')).toBe(' ')
	expect(stream.end()).toBe('sk-pro')
})

test('a text full of escapes that spell something else is left as it is, and quickly', () => {
	const text = '\\u0073\\u006b-%73%6b\\\\\\ &#115; s\nk-\n'.repeat(20_000)
	expect(scrubber.text(text)).toBe(text)
	const stream = scrubber.stream()
	expect(stream.push(text) + stream.end()).toBe(text)
})

test('a text too short to be a secret is left alone', () => {
	const short = createScrubber(['', 'x', 'abc', 'ollama'])
	expect(short.text('x marks abc with ollama')).toBe('x marks abc with ollama')
})
