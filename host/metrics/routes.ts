import { createHash, timingSafeEqual } from 'node:crypto'
import { Problem } from '../http/errors.ts'
import { anyone } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import type { Family } from './series.ts'
import { contentType, prometheusText } from './text.ts'

/** They tell ids, so only who brings the token sees them. */
const ofDeployments = /^berth_deployment_/

/** `GET /metrics`: for whoever reaches it, or for who brings `token` (METRICS_TOKEN) where that is set. */
export function metricsRoute(
	app: App,
	{ token, read }: { token: string; read: () => Promise<Family[]> },
): void {
	const sha256 = (text: string) => createHash('sha256').update(text).digest()
	const expected = sha256(`Bearer ${token}`)
	const config = {
		...anyone('getMetrics', 'What this process has done, for Prometheus', token ? ['unauthenticated'] : []),
		media: 'text/plain' as const,
	}
	app.get('/metrics', { config }, async (request, reply) => {
		const { authorization = '' } = request.headers
		if (token && !timingSafeEqual(sha256(authorization), expected))
			throw new Problem('unauthenticated', 'The host’s METRICS_TOKEN is asked for here, as a bearer token.', {
				headers: { 'www-authenticate': authorization ? 'Bearer error="invalid_token"' : 'Bearer' },
			})
		const families = await read()
		const shown = token ? families : families.filter(({ name }) => !ofDeployments.test(name))
		return reply.type(contentType).send(prometheusText(shown))
	})
}
