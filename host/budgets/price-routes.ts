import { z } from 'zod'
import * as api from '../api/prices.ts'
import { type Auth, noteReceipt } from '../auth/index.ts'
import { operator } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { deletePrice, type PriceParts, putPrice, readPrices } from './prices.ts'

/** `/v1/admin/prices`: what runs are charged with, in budgets, limits and usage. */
export function priceRoutes(app: App, parts: PriceParts & { auth: Pick<Auth, 'requireOperator'> }): void {
	app.get(
		'/v1/admin/prices',
		{ schema: { response: { 200: api.PriceList } }, config: operator('listPrices', 'Prices of models') },
		async (request) => {
			await parts.auth.requireOperator(request)
			return { data: await readPrices(parts.sql) }
		},
	)
	app.put(
		'/v1/admin/prices',
		{
			schema: { body: api.PutPrice, response: { 200: api.Price } },
			config: operator('putPrice', 'Set the price of a model, on every host from its next call on'),
		},
		async (request) => {
			await parts.auth.requireOperator(request)
			const { provider, model } = request.body
			noteReceipt(request, { provider, model })
			return putPrice(parts, request.body)
		},
	)
	app.delete(
		'/v1/admin/prices',
		{
			schema: { querystring: api.PriceName, response: { 204: z.undefined() } },
			config: operator('deletePrice', 'Go back to the list price of a model'),
		},
		async (request, reply) => {
			await parts.auth.requireOperator(request)
			noteReceipt(request, request.query)
			await deletePrice(parts, request.query)
			return reply.code(204).send()
		},
	)
}
