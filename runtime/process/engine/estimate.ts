/** What a model call can use, told before it is made. */

import { apiOf, searchesAtMost, searchOf } from '../../../bundles/index.ts'
import type { ModelUsage } from '../../prices/index.ts'
import { priceOf } from '../../prices/index.ts'
import { type ModelRequest, sizeOfFiles } from '../providers/index.ts'

/** Of a call that names no bound of its own, where one must be told. Every model in use takes such a bound. */
export const OUTPUT_DEFAULT = 16_000
/** Of ordinary text. */
export const BYTES_A_TOKEN = 4
/** What providers add to a request: its frame, and instructions for tools. */
const FRAME_TOKENS = 64
const TOOLS_TOKENS = 512
/** Of pages that one search of the provider finds: a guess, as no provider bounds it. */
const SEARCH_TOKENS = 8_000

/** That its provider may make for one call. */
export function searches(request: Pick<ModelRequest, 'provider' | 'base_url' | 'api' | 'options'>): number {
	const search = searchOf(request.options ?? {})
	return search ? searchesAtMost(apiOf(request), search) : 0
}

/** No model makes more tokens of a text than it has bytes. `args`: the effect's, which hold all of it but tools and files. */
export function inputAtMost(args: string, request: ModelRequest): number {
	const { tools, files, paused } = request
	const before = paused ? Buffer.byteLength(JSON.stringify(paused)) : 0
	const found = searches(request) * SEARCH_TOKENS
	const size = Buffer.byteLength(args) + FRAME_TOKENS + sizeOfFiles(files) + before + found
	return tools.length === 0 ? size : size + Buffer.byteLength(JSON.stringify(tools)) + TOOLS_TOKENS
}

/**
 * Of a call that was stopped under way. Only its provider knows what it charges: about what it was sent, and what had
 * come of its answer. Were it nothing, whoever cancels in time would spend without end. `sent`: bytes; `came`: characters.
 */
export function usedAbout(
	{ provider, model }: ModelRequest,
	{ sent, came }: { sent: number; came: number },
): { usage: ModelUsage; usd: number | null } {
	const [input_tokens, output_tokens] = [Math.ceil(sent / BYTES_A_TOKEN), Math.ceil(came / BYTES_A_TOKEN)]
	const usage = { input_tokens, cached_input_tokens: 0, output_tokens }
	return { usage, usd: priceOf(provider, model, usage) }
}

const million = 1_000_000

/** With these the price is at most the list price. */
const LISTED_TIERS = new Set<unknown>(['auto', 'default', 'flex', 'standard_only'])

/** Another tier than the one that list prices are of, at whatever price. */
export function unlistedTier({ parameters }: ModelRequest): boolean {
	return 'service_tier' in parameters && !LISTED_TIERS.has(parameters.service_tier)
}

/** Its tokens have a price, and its searches have none. */
export function unlistedSearch({ provider, model }: ModelRequest): boolean {
	return priceOf(provider, model, { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 }) !== null
}

/** In US dollars: of the input, and of one token of output. Null: the price is not known. */
export function costAtMost(
	request: ModelRequest,
	input_tokens: number,
): { input: number; output_token: number } | null {
	if (unlistedTier(request)) return null
	const { provider, model } = request
	const web_searches = searches(request)
	const usage = { input_tokens, cached_input_tokens: 0, output_tokens: 0, web_searches }
	const plain = priceOf(provider, model, usage)
	const written = priceOf(provider, model, { ...usage, cache_write_input_tokens: input_tokens })
	const withOutput = priceOf(provider, model, { ...usage, output_tokens: million })
	if (plain === null || written === null || withOutput === null) return null
	return { input: Math.max(plain, written), output_token: (withOutput - plain) / million }
}
