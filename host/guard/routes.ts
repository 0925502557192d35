import type { FastifyBaseLogger } from 'fastify'
import { createJudge, mountConnector } from '../../connector/index.ts'
import { createEgress } from '../../runtime/egress/index.ts'
import { sharedNow } from '../../runtime/lib/clock.ts'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import * as api from '../api/guard.ts'
import { type Auth, networkOf, type OAuthServer, type Secrets } from '../auth/index.ts'
import { type Listen, unavailable } from '../db/index.ts'
import type { KnownDeployments } from '../deployments/index.ts'
import { operator } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { StartError } from '../lib/start-error.ts'
import type { Metrics } from '../metrics/index.ts'
import type { Places } from '../places/index.ts'
import type { Config } from '../settings/config.ts'
import type { Traces } from '../traces/index.ts'
import { agentAddresses } from './agents.ts'
import { deviceRoutes } from './device-routes.ts'
import { oauthServer } from './grants.ts'
import { type JudgeConfig, judgeSettings } from './judge-settings.ts'
import { online } from './online.ts'
import { guardPlatform, type PlatformParts } from './platform.ts'
import { guardUsageRoutes } from './usage-routes.ts'

type GuardSetting = Extract<keyof Config, `GUARD_${string}`>

interface GuardParts extends PlatformParts {
	config: JudgeConfig & Pick<Config, 'BASE_URL' | 'EGRESS_ALLOW' | 'OIDC_ISSUER' | 'OIDC_NAME' | GuardSetting>
	listen: Listen
	log: FastifyBaseLogger
	runtime: Pick<RuntimeClient, 'call'>
	auth: Pick<Auth, 'requireOwner' | 'requireOperator'>
	secrets: Secrets
	deployments: Pick<KnownDeployments, 'find'>
	places: Pick<Places, 'own'>
	traces: Pick<Traces, 'guardCall'> | null
	metrics: Pick<Metrics, 'guardCalled'>
}

/**
 * The guard connector, given what it needs of this host, and its operators' switches. Answers with what its
 * authorization server knows.
 */
export async function guardRoutes(app: App, parts: GuardParts): Promise<OAuthServer> {
	const { config, runtime } = parts
	const egress = createEgress({ allow: config.EGRESS_ALLOW })
	const judge = await createJudge({
		...judgeSettings(config),
		// The guard's own queue is the bound: operators set it, and it knows free accounts from others.
		waiting: Number.MAX_SAFE_INTEGER,
	}).catch((cause: Error) => {
		throw new StartError(`GUARD_JUDGE=${config.GUARD_JUDGE.join(',')}: ${cause.message}`, { cause })
	})
	const connector = await mountConnector(app as never, {
		baseUrl: config.BASE_URL,
		origins: config.GUARD_ORIGINS,
		platform: guardPlatform(parts),
		judge,
		sql: parts.sql,
		listen: parts.listen,
		unavailable,
		fetch: egress.fetch,
		clientMetadata: config.GUARD_CLIENT_METADATA,
		online,
		secrets: {
			wrap: async (plaintext) => (await runtime.call('secret.wrap', { purpose: 'oauth', plaintext })).wrapped,
			unwrap: async (wrapped) =>
				(await runtime.call('secret.unwrap', { purpose: 'oauth', wrapped })).plaintext,
		},
		agents: agentAddresses(parts),
		otherSignIn: config.OIDC_ISSUER
			? { name: config.OIDC_NAME, href: (to) => `/sign-in/openid?to=${encodeURIComponent(to)}` }
			: undefined,
		access: config.GUARD_ACCESS,
		trace: parts.traces?.guardCall,
		called: parts.metrics.guardCalled,
		log: parts.log,
		networkOf,
		now: sharedNow,
	})
	deviceRoutes(app, { ...parts, devices: connector.devices })
	app.addHook('onClose', async () => {
		await connector.close()
		await judge.close()
		await egress.close()
	})
	app.get(
		'/v1/admin/guard',
		{
			schema: { response: { 200: api.GuardStatus } },
			config: operator('getGuard', 'The guard: its switches, month and load'),
		},
		async (request) => {
			await parts.auth.requireOperator(request)
			return connector.status()
		},
	)
	app.patch(
		'/v1/admin/guard',
		{
			schema: { body: api.ChangeGuard, response: { 200: api.GuardStatus } },
			config: operator(
				'changeGuard',
				'Pause and resume, budget, capacity; obeyed by every host within a second',
			),
		},
		async (request) => {
			await parts.auth.requireOperator(request)
			const switches = await connector.set(request.body)
			return { ...connector.status(), switches }
		},
	)
	guardUsageRoutes(app, { ...parts, connector })
	return oauthServer(connector, config.BASE_URL)
}
