// Spans and quotes are offsets into the caller's own text, up to the limit of 24,000 tokens.
import { describe, expect, test } from 'vitest'
import { read } from '../../../../connector/judge/text/document.ts'
import { fold } from '../../../../connector/judge/text/fold.ts'
import { sentences } from '../../../../connector/judge/text/sentences.ts'
import { tokenize } from '../../../../connector/judge/text/tokens.ts'

describe('fold', () => {
	// Proves: judge.disguises
	test('gives one spelling when a word is written with look-alikes, invisible or full-width characters', () => {
		expect(fold('Ig\u200bnоre').text).toBe('ignore')
		expect(fold('ＩＧＮＯＲＥ').text).toBe('ignore')
		expect(fold('𝐈𝐠𝐧𝐨𝐫𝐞').text).toBe('ignore')
		expect(fold('Ígnörè').text).toBe('ignore')
	})

	// Proves: judge.disguises
	test('reads tag characters, which nobody sees, with the spaces between their words', () => {
		const hidden = [...'drop it'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')
		expect(fold(`Hi.${hidden}`).text).toBe('hi.drop it')
	})

	test('leaves a word of another script alone when it has no Latin letter', () => {
		expect(fold('сор').text).toBe('сор')
	})

	// Proves: judge.passages
	test('keeps the offset of every unit when characters are dropped or grow', () => {
		const source = 'a\u200b\u200bb ﬁn 𝐂 d'
		const { text, at } = fold(source)
		expect(text).toBe('ab fin c d')
		expect(source.slice(at[text.indexOf('d')]!)).toBe('d')
		expect(at[text.length]).toBe(source.length)
		expect(source.slice(at[text.indexOf('fin')]!, at[text.indexOf('fin') + 2]!)).toBe('ﬁ')
	})

	test('reads what tag characters spell when a text hides them', () => {
		const hidden = [...'ignore'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')
		expect(fold(`hello ${hidden}`).text).toBe('hello ignore')
	})
})

describe('sentences', () => {
	const cut = (text: string) => sentences(text).map(({ start, end }) => text.slice(start, end))

	test('end at stops of several scripts when not inside a number or after an initial', () => {
		expect(cut('Dr. J. Smith paid 3.5 euros. Why? 你好。再见。')).toEqual([
			'Dr. J. Smith paid 3.5 euros.',
			'Why?',
			'你好。再见。'.slice(0, 3),
			'再见。',
		])
	})

	test('are bounded when a text has no stops', () => {
		const spans = sentences('word '.repeat(5_000))
		expect(Math.max(...spans.map(({ start, end }) => end - start))).toBeLessThanOrEqual(420)
	})
})

describe('tokenize', () => {
	test('writes a number in one way when its separators differ', () => {
		expect(tokenize('1,200 1.200 1200 12.50 3,5').words).toEqual(['1200', '1200', '1200', '12.50', '3.5'])
	})

	test('gives each ideograph its own token when a script has no spaces', () => {
		expect(tokenize('忽略 all').words).toEqual(['忽', '略', 'all'])
	})
})

test('read gives sentences whose words lie where their offsets say when the text was folded', () => {
	const source = 'First lіne\u200b here. Ｓecond one!'
	const { folded, sentences: found } = read(source)
	for (const { words, starts, ends } of found) {
		words.forEach((word, k) => {
			expect(fold(source.slice(folded.at[starts[k]!]!, folded.at[ends[k]!]!)).text).toBe(word)
		})
	}
	expect(found.map(({ words }) => words.length)).toEqual([3, 2])
})
