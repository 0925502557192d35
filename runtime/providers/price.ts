import { type Price, type PriceTable, prices } from './prices.ts'
import type { ModelRequest, ModelUsage } from './types.ts'

/** US dollars of one call; null where the model has no price in the table. */
export function priceOf(provider: ModelRequest['provider'], model: string, usage: ModelUsage): number | null {
	const price = find(provider, model)
	if (!price) return null
	const { input_tokens, cached_input_tokens, cache_write_input_tokens = 0, output_tokens } = usage
	const rate = price.above && input_tokens > price.above.tokens ? price.above : price
	const plain = input_tokens - cached_input_tokens - cache_write_input_tokens
	const millionths =
		plain * rate.input +
		cached_input_tokens * rate.cached +
		cache_write_input_tokens * (rate.write ?? rate.input) +
		output_tokens * rate.output
	return millionths / 1_000_000
}

/** The operator's, in place of list prices. One table a process: prices are the same for every run. */
let own: PriceTable = { openai: {}, anthropic: {} }

export function setPrices(table: PriceTable): void {
	own = table
}

/** A dated name has the price of the undated one, but `gpt-5-pro` has not that of `gpt-5`. */
function find(provider: ModelRequest['provider'], model: string): Price | undefined {
	const undated = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
	return (
		priceIn(own[provider], model) ?? priceIn(own[provider], undated) ?? priceIn(prices[provider], undated)
	)
}

/** A model may be called `constructor`. */
function priceIn(table: PriceTable['openai'], model: string): Price | undefined {
	return Object.hasOwn(table, model) ? table[model] : undefined
}
