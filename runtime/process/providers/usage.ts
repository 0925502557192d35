import type { ModelUsage } from '../../prices/index.ts'

/** Of one call. No model takes or makes a tenth of it: whoever reports more is not believed. */
const TOKENS_MAX = 10_000_000
const SEARCHES_MAX = 10_000

/** Undefined where the server's counts are none that limits could be held to; what was cached is part of the input. */
export function usageOf(
	input: unknown,
	cached: unknown,
	written: unknown,
	output: unknown,
	searches?: unknown,
): ModelUsage | undefined {
	const input_tokens = count(input)
	const output_tokens = count(output)
	if (input_tokens === undefined || output_tokens === undefined) return undefined
	if (Math.max(input_tokens, output_tokens) > TOKENS_MAX) return undefined
	const web_searches = Math.min(count(searches) ?? 0, SEARCHES_MAX)
	const cached_input_tokens = Math.min(count(cached) ?? 0, input_tokens)
	const cache_write_input_tokens = Math.min(count(written) ?? 0, input_tokens - cached_input_tokens)
	return {
		input_tokens,
		cached_input_tokens,
		...(cache_write_input_tokens > 0 && { cache_write_input_tokens }),
		output_tokens,
		...(web_searches > 0 && { web_searches }),
	}
}

/** Every fourth byte a token: more than any model in use makes of text. */
export function estimatedUsage(sentBytes: number, writtenBytes: number): ModelUsage {
	return {
		input_tokens: Math.ceil(sentBytes / 4),
		cached_input_tokens: 0,
		output_tokens: Math.ceil(writtenBytes / 4),
		estimated: true,
	}
}

/** Of an answer that broke off: what its server has told, and of the rest what was sent and how much text came. */
export function usageOfPart(told: ModelUsage | undefined, sentBytes: number, chars: number): ModelUsage {
	const about = estimatedUsage(sentBytes, chars)
	return told ? { ...told, output_tokens: Math.max(told.output_tokens, about.output_tokens) } : about
}

function count(value: unknown): number | undefined {
	return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}
