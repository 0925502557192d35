import { z } from 'zod'
import { alertTypes } from './alerts.ts'
import { cursor, moment } from './common.ts'

// Webhook endpoints and their deliveries (Standard Webhooks).

const runTypes = ['run.completed', 'run.failed', 'run.cancelled', 'run.waiting'] as const
export const webhookTypes = [...runTypes, ...alertTypes] as const

export const Endpoint = z
	.object({
		id: z.string(),
		url: z.string(),
		/** Null: every type. */
		events: z.array(z.enum(webhookTypes)).nullable(),
		disabled_at: z.string().nullable(),
		disabled_reason: z.string().nullable(),
		/** Since when no delivery has got through; after five days the endpoint is disabled. */
		failing_since: z.string().nullable(),
		created_at: z.string(),
	})
	.meta({ id: 'Endpoint' })

const events = z
	.array(z.enum(webhookTypes))
	.min(1)
	.refine((list) => new Set(list).size === list.length, { message: 'A type is named twice.' })

const url = z
	.url({ protocol: /^https?$/ })
	.max(2000)
	.refine((given) => !given.includes('#'), { message: 'A fragment (#…) is never sent; leave it out.' })

/** Body of `POST /v1/deployments/{id}/endpoints`. */
export const CreateEndpoint = z.strictObject({ url, events: events.nullish() }).meta({ id: 'CreateEndpoint' })

/** Body of `PATCH …/endpoints/{id}`; `disabled: false` switches a disabled one on again. */
export const PatchEndpoint = z
	.strictObject({
		url: url.optional(),
		events: events.nullish(),
		disabled: z.boolean().optional(),
	})
	.meta({ id: 'PatchEndpoint' })

/** Body of `POST …/endpoints/{id}/rotate`: for so long both secrets sign. */
export const RotateEndpoint = z
	.strictObject({
		overlap_seconds: z
			.number()
			.int()
			.min(0)
			.max(7 * 86_400)
			.default(86_400),
	})
	.prefault({})
	.meta({ id: 'RotateEndpoint' })

/** The only answers that hold the secret (`whsec_…`): of the create and of a rotation. */
export const EndpointWithSecret = Endpoint.extend({ secret: z.string() }).meta({ id: 'EndpointWithSecret' })

export const EndpointList = z.object({ data: z.array(Endpoint) }).meta({ id: 'EndpointList' })

export const Attempt = z
	.object({
		attempt: z.number(),
		at: z.string(),
		/** Null: no answer; `error` says why. */
		status: z.number().nullable(),
		latency_ms: z.number(),
		error: z.string().nullable(),
		/** First KiB of the answer. */
		answer: z.string().nullable(),
	})
	.meta({ id: 'Attempt' })

export const Delivery = z
	.object({
		id: z.string(),
		endpoint: z.string(),
		/** `webhook-id`, the same on every attempt. */
		event: z.string(),
		run: z.string().nullable(),
		type: z.string(),
		status: z.enum(['pending', 'delivered', 'failed']),
		attempts: z.array(Attempt),
		next_attempt_at: z.string().nullable(),
		created_at: z.string(),
		completed_at: z.string().nullable(),
	})
	.meta({ id: 'Delivery' })

/** Query of `GET …/endpoints/{id}/deliveries` and `GET /v1/deployments/{id}/deliveries`. Newest first. */
export const DeliveryQuery = z.strictObject({
	status: z.enum(['pending', 'delivered', 'failed']).optional(),
	/** Those that tell of one run. */
	run: z.string().optional(),
	limit: z.coerce.number().int().min(1).max(100).default(20),
	cursor,
})

export const DeliveryPage = z
	.object({ data: z.array(Delivery), next_cursor: z.string().nullable() })
	.meta({ id: 'DeliveryPage' })

/** Body of `POST /v1/deployments/{id}/deliveries/redeliver`: a span of time; by default only what failed. */
export const RedeliverSpan = z
	.strictObject({
		since: moment(),
		until: moment().optional(),
		status: z.enum(['failed', 'delivered', 'all']).default('failed'),
		endpoint: z.string().optional(),
	})
	.refine(({ since, until }) => until === undefined || Date.parse(since) <= Date.parse(until), {
		path: ['until'],
		message: 'is before `since`',
	})
	.meta({ id: 'RedeliverSpan' })

export const RedeliverAnswer = z.object({ deliveries: z.number() }).meta({ id: 'RedeliverAnswer' })

export type Endpoint = z.infer<typeof Endpoint>
export type EndpointWithSecret = z.infer<typeof EndpointWithSecret>
export type EndpointList = z.infer<typeof EndpointList>
export type Attempt = z.infer<typeof Attempt>
export type Delivery = z.infer<typeof Delivery>
export type DeliveryPage = z.infer<typeof DeliveryPage>
