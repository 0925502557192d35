import { OpenApiDocument } from '../../api/runs.ts'
import { version } from '../../lib/root.ts'
import { anyone } from '../operation.ts'
import type { App } from '../route.ts'
import { isConnectors } from './connector.ts'
import { type DescribedAgent, deploymentDocument } from './deployment.ts'
import { hostDocument, type Parts, partsOf } from './document.ts'
import type { Route, RouteSchema } from './route.ts'

export { unlisted } from './answers.ts'

/** OpenAPI 3.1 from the routes themselves. Built at the first request for it and kept. */
export interface OpenApi {
	/** Of one deployment, typed for its agent. */
	ofDeployment(agent: DescribedAgent): object
}

/** Call before the routes are registered: one that says nothing of itself is refused. */
export function openApiRoute(app: App, baseUrl: string): OpenApi {
	const routes: Route[] = []
	app.addHook('onRoute', ({ method, url, config = {}, schema }) => {
		for (const one of [method].flat()) {
			if (one === 'HEAD' || one === 'OPTIONS' || config.undocumented || isConnectors(url)) continue
			if (!config.operation) throw new Error(undescribed(one, url))
			if (routes.some((route) => route.config.operation === config.operation))
				throw new Error(`${one} ${url}: another route has the operationId ${config.operation}.`)
			routes.push({ method: one, url, config, schema: (schema ?? {}) as RouteSchema })
		}
	})
	let text: string | null = null
	app.get(
		'/openapi.json',
		{
			schema: { response: { 200: OpenApiDocument } },
			config: anyone('getOpenApi', 'This document'),
		},
		async (_request, reply) => {
			text ??= JSON.stringify(hostDocument(routes, { baseUrl, version }))
			return reply.type('application/json; charset=utf-8').send(text as never)
		},
	)
	let parts: Parts | null = null
	return {
		ofDeployment(agent) {
			parts ??= partsOf(
				routes.filter(({ url, config }) => url.startsWith('/d/:slug/run') && config.auth === 'run_key'),
			)
			return deploymentDocument(parts, agent)
		},
	}
}

function undescribed(method: string, url: string): string {
	return `${method} ${url} is not described: give its route \`config: owner('operationId', 'One sentence', ['codes', 'it', 'answers'])\` (host/http/operation.ts), or list it in host/http/openapi/connector.ts where it is the connector's.`
}
