import { type Context, tool } from 'berth'

const SHOP = 'https://shop.example.com'
/** Above it, a person decides. */
const ALONE_CENTS = 2_000

interface Order {
	status: 'open' | 'sent' | 'delivered' | 'lost'
	currency: string
	paid_cents: number
	refunded_cents: number
	items: { name: string; cents: number }[]
}

async function read(ctx: Context, order: string): Promise<Order | null> {
	const { status, json } = await ctx.http({ url: `${SHOP}/orders/${encodeURIComponent(order)}` })
	if (status === 404) return null
	if (status !== 200) throw new Error(`the shop answered ${status}`)
	return json as unknown as Order
}

export const find_order = tool<{ order: string }>({
	description: 'Looks an order up in the shop.',
	input: {
		type: 'object',
		required: ['order'],
		additionalProperties: false,
		properties: { order: { type: 'string', pattern: '^[A-Z]{2}[0-9]{4,10}$' } },
	},
	run: async ({ order }, ctx) => (await read(ctx, order)) ?? `There is no order ${order}.`,
})

/** What the model asks for is checked against the shop, and what is large against its owner. */
export const refund = tool<{ order: string; cents: number; reason: string }>({
	description: 'Pays a part of an order back.',
	input: {
		type: 'object',
		required: ['order', 'cents', 'reason'],
		additionalProperties: false,
		properties: {
			order: { type: 'string', pattern: '^[A-Z]{2}[0-9]{4,10}$' },
			cents: { type: 'integer', minimum: 1 },
			reason: { type: 'string', minLength: 1, maxLength: 300 },
		},
	},
	async run({ order, cents, reason }, ctx) {
		const found = await read(ctx, order)
		if (!found) return `There is no order ${order}.`
		const left = found.paid_cents - found.refunded_cents
		if (cents > left) return `Of order ${order}, ${left} cents are left to refund.`
		if (cents > ALONE_CENTS) {
			const { approved, note } = await ctx.approve(`Refund ${cents / 100} ${found.currency} of ${order}?`, {
				reason,
			})
			if (!approved) return `The refund was declined${note ? `: ${note}` : '.'}`
		}
		const { status } = await ctx.http({
			method: 'POST',
			url: `${SHOP}/refunds`,
			body: { order, cents, reason },
		})
		if (status !== 201) throw new Error(`the shop answered ${status}`)
		return `${cents} cents of order ${order} were refunded.`
	},
})
