import { setImmediate as turn } from 'node:timers/promises'

/** Input tokens of a call: o200k, over every text that the judge reads. */
export type CountTokens = (texts: Iterable<string>, limit: number) => Promise<number>

// Merging one unbroken run is quadratic in its length: 100 KB of one letter take seconds. So runs are counted in pieces
// of at most this many characters (ordinary text has none so long), and a long text in slices, with a turn of the event
// loop in between.
const runLength = 200
const longRuns = /[\p{L}\p{M}]{201,}|[^\s\p{L}\p{M}\p{N}]{201,}|\s{201,}/gu
const sliceLength = 4_096
/** No token of the vocabulary is longer; a text of more than `limit` times this needs no counting. */
const longestToken = 128
/** Merged words remembered by the tokenizer; its own default would keep 100,000. */
const rememberedWords = 20_000

/** Loads the vocabulary (0.1 to 0.3 s, 60 MB) with its first call: a host whose guard nobody calls does without. */
export function openTokenizer(): CountTokens {
	let loading: ReturnType<typeof load> | undefined

	/** Exact up to `limit`; over it, some number greater than it. */
	return async (texts, limit) => {
		loading ??= load()
		const count = await loading
		let tokens = 0
		for (const text of texts) {
			if (text.length > limit * longestToken) return limit + 1
			for (let from = 0; from < text.length && tokens <= limit; ) {
				const to = sliceEnd(text, from)
				for (const piece of pieces(text.slice(from, to))) tokens += count(piece)
				from = to
				if (to < text.length) await turn()
			}
		}
		return tokens
	}
}

async function load(): Promise<(text: string) => number> {
	const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base')
	setMergeCacheSize(rememberedWords)
	// Text that spells a special token is ordinary text here.
	return (text) => countTokens(text, { disallowedSpecial: new Set() })
}

/** Cuts before a space between two words, where the vocabulary's own pattern always cuts; else at the length. */
function sliceEnd(text: string, from: number): number {
	const end = from + sliceLength
	if (end >= text.length) return text.length
	const word = /^[A-Za-z] [A-Za-z]/
	for (let at = end; at > end - 512; at--) if (word.test(text.slice(at - 1, at + 2))) return at
	const high = text.charCodeAt(end - 1)
	return high >= 0xd800 && high < 0xdc00 ? end - 1 : end
}

function* pieces(slice: string): Generator<string> {
	let from = 0
	for (const { 0: run, index } of slice.matchAll(longRuns)) {
		if (index > from) yield slice.slice(from, index)
		for (let at = 0; at < run.length; at += runLength) yield run.slice(at, at + runLength)
		from = index + run.length
	}
	if (from < slice.length) yield slice.slice(from)
}
