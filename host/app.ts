import { fastify } from 'fastify'
import type { z } from 'zod'
import type { Host } from './context.ts'
import type { App, ZodTypes } from './http.ts'
import { newId } from './ids.ts'

/** The whole service in the order it is registered. */
export function buildApp(host: Host): App {
	const app = fastify({
		loggerInstance: host.log,
		genReqId: () => newId('req'),
		disableRequestLogging: true,
	}).withTypeProvider<ZodTypes>()
	app.setValidatorCompiler(({ schema }) => (value) => {
		const result = (schema as z.ZodType).safeParse(value)
		return result.success ? { value: result.data } : { error: result.error as unknown as Error }
	})
	app.setSerializerCompiler(() => JSON.stringify)
	// platformRoutes(app, host)
	// deploymentRoutes(app, host)
	// runRoutes(app, host)
	// webhookRoutes(app, host)
	return app
}
