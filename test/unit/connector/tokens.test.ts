import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { openTokenizer } from '../../../connector/metering/tokens.ts'

const count = openTokenizer()
const limit = 24_000
/** Of this thread: what other programs of the machine take is no stall of ours. */
const cpuMs = () => process.threadCpuUsage().user / 1_000

describe('counting input tokens', () => {
	// Proves: guard.input-tokens
	it('agrees with the vocabulary on ordinary text of any length', async () => {
		const sentence =
			'On 21 November 2026 the committee (all 12 members) agreed: “Zürich first”, 東京も, then naïve Oslo!\n'
		const text = sentence.repeat(600)
		expect(await count([text], 1e9)).toBe(countTokens(text))
		expect(await count(['one two', '', 'three'], limit)).toBe(countTokens('one two') + countTokens('three'))
	})
	// Proves: guard.input-tokens
	it('takes the spelling of a special token for text', async () => {
		expect(await count(['<|endoftext|>'], limit)).toBeGreaterThan(1)
	})
	const floods = {
		'one letter': 'a'.repeat(3_000_000),
		capitals: 'ABCDEFGH'.repeat(400_000),
		spaces: ' '.repeat(3_000_000),
		'line ends': '\r\n'.repeat(1_500_000),
		marks: '\u0301'.repeat(1_000_000),
		punctuation: '!?'.repeat(1_500_000),
		'rare letters': '\u1401\u1402\u1403'.repeat(500_000),
		'base64 of noise': Buffer.from(
			Array.from({ length: 300_000 }, (_, i) => (i * 7919 + (i >> 3) * 104729) % 251),
		).toString('base64'),
	}
	for (const [name, text] of Object.entries(floods)) {
		// Proves: guard.input-tokens
		it(`stops early and never stalls on ${name}`, async () => {
			await count(['warm'], limit)
			let longest = 0
			let last = cpuMs()
			const watch = setInterval(() => {
				longest = Math.max(longest, cpuMs() - last)
				last = cpuMs()
			}, 1)
			expect(await count([text], limit)).toBeGreaterThan(limit)
			clearInterval(watch)
			expect(longest).toBeLessThan(500)
		})
	}
	// Proves: guard.input-tokens
	it('needs no counting for what is far too long', async () => {
		const began = cpuMs()
		expect(await count(['word '.repeat(2_000_000)], limit)).toBeGreaterThan(limit)
		expect(cpuMs() - began).toBeLessThan(100)
	})
})
