import type { z } from 'zod'
import {
	Delivery,
	DeliveryPage,
	Endpoint,
	EndpointList,
	EndpointWithSecret,
	type PatchEndpoint,
	RedeliverAnswer,
} from '../../api/endpoints.ts'
import { type Http, post } from './http.ts'

export function webhookCalls(http: Http, base: string) {
	const at = (deployment: string, rest: string) =>
		`${base}/v1/deployments/${encodeURIComponent(deployment)}${rest}`
	return {
		/** The secret is in this answer and in no other. */
		add: (deployment: string, url: string, events?: string[]) =>
			http.json(EndpointWithSecret, post(at(deployment, '/endpoints'), { url, ...(events && { events }) })),
		list: (deployment: string) =>
			http.json(EndpointList, { method: 'GET', url: at(deployment, '/endpoints') }),
		/** `disabled: false` switches it on again. */
		patch: (deployment: string, endpoint: string, change: z.input<typeof PatchEndpoint>) =>
			http.json(Endpoint, { method: 'PATCH', url: at(deployment, `/endpoints/${endpoint}`), body: change }),
		remove: async (deployment: string, endpoint: string) =>
			void (await http.send({ method: 'DELETE', url: at(deployment, `/endpoints/${endpoint}`) })),
		rotate: (deployment: string, endpoint: string, overlapSeconds?: number) =>
			http.json(
				EndpointWithSecret,
				post(
					at(deployment, `/endpoints/${endpoint}/rotate`),
					overlapSeconds === undefined ? {} : { overlap_seconds: overlapSeconds },
				),
			),
		ping: (deployment: string, endpoint: string) =>
			http.json(Delivery, post(at(deployment, `/endpoints/${endpoint}/ping`))),
		deliveries: (
			deployment: string,
			query: { status?: string; run?: string; limit?: number; cursor?: string } = {},
		) => http.json(DeliveryPage, { method: 'GET', url: at(deployment, '/deliveries'), query }),
		/** Of one endpoint. */
		deliveriesOf: (
			deployment: string,
			endpoint: string,
			query: { status?: string; limit?: number; cursor?: string } = {},
		) =>
			http.json(DeliveryPage, {
				method: 'GET',
				url: at(deployment, `/endpoints/${endpoint}/deliveries`),
				query,
			}),
		redeliver: (deployment: string, delivery: string) =>
			http.json(Delivery, post(at(deployment, `/deliveries/${delivery}/redeliver`))),
		redeliverSpan: (
			deployment: string,
			span: { since: string; until?: string; status?: string; endpoint?: string },
		) => http.json(RedeliverAnswer, post(at(deployment, '/deliveries/redeliver'), span)),
	}
}
