import type {
	FastifyBaseLogger,
	FastifyInstance,
	FastifyTypeProvider,
	RawReplyDefaultExpression,
	RawRequestDefaultExpression,
	RawServerDefault,
} from 'fastify'
import type { z } from 'zod'
import type { ProblemCode } from './errors.ts'

/**
 * Route schemas are zod schemas themselves: `schema: {params, querystring, body, response: {200: …}}`. A handler gets
 * what they parsed; OpenAPI is made from them. Answers are not validated on their way out.
 */
export interface ZodTypes extends FastifyTypeProvider {
	validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
	serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown
}

/** What a feature's `fooRoutes(app, parts)` adds its routes to. */
export type App = FastifyInstance<
	RawServerDefault,
	RawRequestDefaultExpression,
	RawReplyDefaultExpression,
	FastifyBaseLogger,
	ZodTypes
>

/** How a caller signs in. */
export type Auth = 'owner' | 'operator' | 'run_key' | 'upload'

declare module 'fastify' {
	interface FastifyContextConfig {
		/** `operationId` in the OpenAPI document; unique and never changed: generated clients name their calls by it. */
		operation?: string
		/** One sentence for the OpenAPI document. */
		summary?: string
		/** Codes it answers with, beside those of its kind (host/http/openapi/answers.ts). */
		errors?: readonly ProblemCode[]
		auth?: Auth
		/** It also takes an OAuth access token for the agent's `{deployment_url}/mcp`. */
		agent?: true
		/** The body is multipart/form-data: a file `bundle` and these texts, with whether they are required. */
		upload?: Record<string, boolean>
		/** Bytes as they are: what is sent, or the answer. `form`: JSON, or multipart/form-data with `inputs` and files. */
		bytes?: 'request' | 'answer' | 'form'
		/** Request headers that choose the answer, with a sentence each. */
		headers?: Record<string, string>
		/** It may answer 303; where to. */
		redirects?: string
		/** What 200 is, or may be instead of JSON. */
		media?: 'text/event-stream' | 'text/html' | 'text/plain'
		/** JSON-RPC: a body is refused in the protocol's words. JSON that is no object comes to the handler, which does so. */
		rpc?: true
		/** A POST under /v1 that may be repeated without an Idempotency-Key being stored. */
		idempotency?: false
		/** A change that is not written into the audit log. */
		audited?: false
		/** A part of a page, not for programs: left out of the OpenAPI document. */
		undocumented?: true
	}
}
