import { z } from 'zod'

// Prices of models, in US dollars per million tokens.

const rate = z.number().min(0).max(1e6)
const provider = z.enum(['openai', 'anthropic'])
const model = z
	.string()
	.min(1)
	.max(200)
	.regex(/^[\w./:@-]+$/, 'holds a character that no model name has')

export const Price = z
	.object({
		provider,
		model,
		input: rate,
		/** Input that the provider had cached. */
		cached: rate,
		/** Input that the provider caches newly. */
		write: rate,
		output: rate,
		/** A thousand searches of the provider's own web search; null: not known. */
		search: rate.nullable(),
		/** An operator's own, in place of the list price or of none. */
		own: z.boolean(),
	})
	.meta({ id: 'Price' })

export const PriceList = z.object({ data: z.array(Price) }).meta({ id: 'PriceList' })

/** Body of `PUT /v1/admin/prices`. `cached` and `write`: as `input` where they are left out; `search`: as listed. */
export const PutPrice = z
	.strictObject({
		provider,
		model,
		input: rate,
		cached: rate.optional(),
		write: rate.optional(),
		output: rate,
		search: rate.optional(),
	})
	.meta({ id: 'PutPrice' })

/** Query of `DELETE /v1/admin/prices`: the list price holds again. */
export const PriceName = z.strictObject({ provider, model })

export type Price = z.infer<typeof Price>
export type PutPrice = z.infer<typeof PutPrice>
