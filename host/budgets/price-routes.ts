import { z } from 'zod'
import * as api from '../api/prices.ts'
import { requireOperator } from '../auth/index.ts'
import type { Host } from '../context.ts'
import { operator } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { deletePrice, putPrice, readPrices } from './prices.ts'

/** `/v1/admin/prices`: what runs are charged with, in budgets, limits and usage. */
export function priceRoutes(app: App, host: Host): void {
	app.get(
		'/v1/admin/prices',
		{ schema: { response: { 200: api.PriceList } }, config: operator('listPrices', 'Prices of models') },
		async (request) => {
			await requireOperator(host, request)
			return { data: await readPrices(host.sql) }
		},
	)
	app.put(
		'/v1/admin/prices',
		{
			schema: { body: api.PutPrice, response: { 200: api.Price } },
			config: operator('putPrice', 'Set the price of a model, on every host from its next call on'),
		},
		async (request) => {
			await requireOperator(host, request)
			return putPrice(host, request.body)
		},
	)
	app.delete(
		'/v1/admin/prices',
		{
			schema: { querystring: api.PriceName, response: { 204: z.undefined() } },
			config: operator('deletePrice', 'Go back to the list price of a model'),
		},
		async (request, reply) => {
			await requireOperator(host, request)
			await deletePrice(host, request.query)
			return reply.code(204).send()
		},
	)
}
