import type {
	FastifyBaseLogger,
	FastifyInstance,
	FastifyTypeProvider,
	RawReplyDefaultExpression,
	RawRequestDefaultExpression,
	RawServerDefault,
} from 'fastify'
import type { z } from 'zod'

/**
 * Route schemas are zod schemas themselves: `schema: {params, querystring, body, response: {200: …}}`. A handler gets
 * what they parsed; OpenAPI is made from them. Answers are not validated on their way out.
 */
export interface ZodTypes extends FastifyTypeProvider {
	validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
	serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown
}

/** What a feature's `fooRoutes(app, host)` is given. */
export type App = FastifyInstance<
	RawServerDefault,
	RawRequestDefaultExpression,
	RawReplyDefaultExpression,
	FastifyBaseLogger,
	ZodTypes
>

declare module 'fastify' {
	interface FastifyContextConfig {
		/** One sentence for the OpenAPI document; routes without one are left out of it. */
		summary?: string
		/** How a caller signs in there, for the OpenAPI document. */
		auth?: 'owner' | 'operator' | 'run_key' | 'upload'
		/** The body is multipart/form-data: a file `bundle` and these texts, with whether they are required. */
		upload?: Record<string, boolean>
		/** Request headers that choose the answer, with a sentence each. */
		headers?: Record<string, string>
		/** 200 may be a stream of server-sent events. */
		stream?: true
		/** A POST under /v1 that may be repeated without an Idempotency-Key being stored. */
		idempotency?: false
	}
}
