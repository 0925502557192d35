import { type Price, type PriceTable, prices } from './list.ts'

export interface ModelUsage {
	/** All of them: cached and newly cached ones included. */
	input_tokens: number
	cached_input_tokens: number
	/** Written to the provider's cache by this call, where that has a price of its own. */
	cache_write_input_tokens?: number
	output_tokens: number
	/** Of the provider's own web search, where there were any. */
	web_searches?: number
	/** The server reported none: a quarter of the bytes sent and received stands for them. */
	estimated?: true
}

/** US dollars of one call; null where the model, or a search that was made, has no price in the table. */
export function priceOf(provider: keyof PriceTable, model: string, usage: ModelUsage): number | null {
	const price = find(provider, model, own)
	if (!price) return null
	const { input_tokens, cached_input_tokens, cache_write_input_tokens = 0, output_tokens } = usage
	const searches = usage.web_searches ?? 0
	if (searches > 0 && price.search === undefined) return null
	const rate = price.above && input_tokens > price.above.tokens ? price.above : price
	const plain = input_tokens - cached_input_tokens - cache_write_input_tokens
	const millionths =
		plain * rate.input +
		cached_input_tokens * rate.cached +
		cache_write_input_tokens * (rate.write ?? rate.input) +
		output_tokens * rate.output
	return millionths / 1_000_000 + (searches * (price.search ?? 0)) / 1_000
}

/** The operator's, in place of list prices. One table a process: prices are the same for every run. */
let own: PriceTable = { openai: {}, anthropic: {} }

export function setPrices(table: PriceTable): void {
	own = table
}

/** Whether a model has a price, in the list or among these of the operator. */
export const isPriced = (provider: keyof PriceTable, model: string, own: PriceTable): boolean =>
	find(provider, model, own) !== undefined

/** A dated name has the price of the undated one, but `gpt-5-pro` has not that of `gpt-5`. */
function find(provider: keyof PriceTable, model: string, own: PriceTable): Price | undefined {
	const undated = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
	const listed = priceIn(prices[provider], undated)
	const given = priceIn(own[provider], model) ?? priceIn(own[provider], undated)
	// Most operators set prices of tokens alone.
	return given ? { ...(listed?.search !== undefined && { search: listed.search }), ...given } : listed
}

/** A model may be called `constructor`. */
function priceIn(table: PriceTable['openai'], model: string): Price | undefined {
	return Object.hasOwn(table, model) ? table[model] : undefined
}
