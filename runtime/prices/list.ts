/**
 * List prices in US dollars per million tokens, as published by the providers (read 2026-11-21), by the model's name
 * without its date. `write`: newly cached input, where it costs more than other input. `above`: prices of a call whose
 * input is longer than so many tokens. `search`: a thousand searches of the provider's own web search; what is found is
 * input besides. Absent: the price is not known.
 */
export interface Price {
	input: number
	cached: number
	write?: number
	output: number
	search?: number
	above?: { tokens: number; input: number; cached: number; write?: number; output: number }
}

/** OpenAI's rule for long inputs: twice the input prices and one and a half times the output's. */
function doubled(price: { input: number; cached: number; write?: number; output: number }): Price {
	const { input, cached, write, output } = price
	const long = {
		input: input * 2,
		cached: cached * 2,
		output: output * 1.5,
		...(write && { write: write * 2 }),
	}
	return { ...price, above: { tokens: 272_000, ...long } }
}

export type PriceTable = Record<'openai' | 'anthropic', Record<string, Price>>

/**
 * Both providers take the same for all their models that search (read 2026-11-23). OpenAI charges the small models
 * below another 8,000 tokens of input for each search.
 */
const SEARCH = 10
const searching = (models: Record<string, Price>): Record<string, Price> =>
	Object.fromEntries(Object.entries(models).map(([name, price]) => [name, { search: SEARCH, ...price }]))

export const prices: PriceTable = {
	openai: {
		...searching({
			'gpt-6-astra': doubled({ input: 10, cached: 1, write: 12.5, output: 50 }),
			'gpt-6.1-sol': doubled({ input: 2, cached: 0.1, write: 2.5, output: 10 }),
			'gpt-6.1-terra': doubled({ input: 1, cached: 0.05, write: 1.25, output: 5 }),
			'gpt-6-sol': doubled({ input: 2, cached: 0.2, write: 2.5, output: 10 }),
			'gpt-6-luna': doubled({ input: 0.1, cached: 0.01, write: 0.125, output: 0.5 }),
			'gpt-5.6-sol': doubled({ input: 4, cached: 0.4, write: 5, output: 20 }),
			'gpt-5.6-terra': doubled({ input: 2, cached: 0.2, write: 2.5, output: 12 }),
			'gpt-5.6-luna': doubled({ input: 0.2, cached: 0.02, write: 0.25, output: 1.2 }),
			'gpt-5.5': doubled({ input: 5, cached: 0.5, output: 30 }),
			'gpt-5.4': doubled({ input: 2.5, cached: 0.25, output: 15 }),
			'gpt-5.4-mini': { input: 0.75, cached: 0.075, output: 4.5 },
			'gpt-5.4-nano': { input: 0.2, cached: 0.02, output: 1.25 },
			'gpt-5.2': { input: 1.75, cached: 0.175, output: 14 },
			'gpt-5.1': { input: 1.25, cached: 0.125, output: 10 },
			'gpt-5-mini': { input: 0.25, cached: 0.025, output: 2 },
			'gpt-5-nano': { input: 0.05, cached: 0.005, output: 0.4 },
			'gpt-5': { input: 1.25, cached: 0.125, output: 10 },
			'gpt-4.1-mini': { input: 0.4, cached: 0.1, output: 1.6, search: 13.2 },
			'gpt-4.1': { input: 2, cached: 0.5, output: 8 },
			'gpt-4o-mini': { input: 0.15, cached: 0.075, output: 0.6, search: 11.2 },
			'gpt-4o': { input: 2.5, cached: 1.25, output: 10 },
		}),
		'text-embedding-3-large': { input: 0.13, cached: 0.13, output: 0 },
		'text-embedding-3-small': { input: 0.02, cached: 0.02, output: 0 },
	},
	anthropic: searching({
		'claude-fable-5-1': { input: 10, cached: 0.25, write: 12.5, output: 50 },
		'claude-fable-5': { input: 10, cached: 1, write: 12.5, output: 50 },
		'claude-mythos-5-1': { input: 10, cached: 0.25, write: 12.5, output: 50 },
		'claude-mythos-5': { input: 10, cached: 1, write: 12.5, output: 50 },
		'claude-opus-5-5': { input: 4, cached: 0.2, write: 5, output: 20 },
		'claude-opus-5': { input: 5, cached: 0.5, write: 6.25, output: 25 },
		'claude-opus-4-8': { input: 5, cached: 0.5, write: 6.25, output: 25 },
		'claude-opus-4-7': { input: 5, cached: 0.5, write: 6.25, output: 25 },
		'claude-opus-4-6': { input: 5, cached: 0.5, write: 6.25, output: 25 },
		'claude-opus-4-5': { input: 5, cached: 0.5, write: 6.25, output: 25 },
		'claude-sonnet-5-5': { input: 2, cached: 0.1, write: 2.5, output: 10 },
		'claude-sonnet-5': { input: 2, cached: 0.2, write: 2.5, output: 10 },
		'claude-sonnet-4-6': { input: 3, cached: 0.3, write: 3.75, output: 15 },
		'claude-sonnet-4-5': { input: 3, cached: 0.3, write: 3.75, output: 15 },
		'claude-haiku-5-5': {
			input: 0.1,
			cached: 0.01,
			write: 0.125,
			output: 0.5,
			above: { tokens: 100_000, input: 0.5, cached: 0.05, write: 0.625, output: 2.5 },
		},
		'claude-haiku-4-5': { input: 1, cached: 0.1, write: 1.25, output: 5 },
	}),
}
