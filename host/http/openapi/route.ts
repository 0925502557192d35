import type { FastifyContextConfig } from 'fastify'
import type { z } from 'zod'

/** A route as it was registered. */
export interface Route {
	method: string
	url: string
	config: FastifyContextConfig
	schema: RouteSchema
}

export interface RouteSchema {
	params?: z.ZodType
	querystring?: z.ZodType
	body?: z.ZodType
	response?: Record<string, z.ZodType>
}

/** As OpenAPI writes it. */
export const pathOf = ({ url }: Pick<Route, 'url'>) => url.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')
