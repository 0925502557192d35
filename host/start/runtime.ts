import type { FastifyBaseLogger } from 'fastify'
import { machineMs, sharedNow } from '../../runtime/lib/clock.ts'
import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import type { Runtime } from '../../runtime/supervisor/start.ts'
import type { RuntimeInit } from '../../runtime/wire/init.ts'
import { PeerError } from '../../runtime/wire/peer.ts'
import { priceTable } from '../budgets/index.ts'
import { type Lease, patience, type Sql } from '../db/index.ts'
import { StartError } from '../lib/start-error.ts'
import { masterKeyCheck, missingKey, requireMasterKey } from '../master-key/index.ts'
import { agentUrls } from '../places/index.ts'
import { type Config, runCeilings } from '../settings/config.ts'
import { listenerUrl } from './address.ts'

/**
 * What an agent of this host may reach of its own guard, and of other agents (spec egress.own-origin-paths); any other
 * path of that origin is refused.
 */
const guardPaths = [
	'/mcp',
	'/.well-known/oauth-protected-resource',
	'/.well-known/oauth-protected-resource/mcp',
	'/.well-known/oauth-authorization-server',
	'/register',
	'/token',
	'/revoke',
]

/** An agent as an MCP server (host/runs/mcp). */
const agentPaths = '^/d/[a-z0-9-]+/mcp$'

interface Starting {
	runtime: Runtime
	config: Config
	log: FastifyBaseLogger
	sql: Sql
	lease: Pick<Lease, 'onRenewed'>
}

/** Starts the runtime; refuses a master key that is not this database's. */
export async function startRuntime(
	{ runtime, config, log, sql, lease }: Starting,
	{ calls, notes }: Pick<HostHandlers, 'calls' | 'notes'>,
): Promise<void> {
	try {
		const { held } = await runtime.start(await initOf(config, sql), {
			calls: patientCalls(sql, calls),
			notes,
			onError: (error, name) => log.error({ err: error, call: name }, 'a call of the runtime failed'),
		})
		const check = await requireMasterKey(sql, held, config.MASTER_KEY_FILE).catch(async (error) => {
			await runtime.close(0)
			throw error
		})
		if (check !== held[0]) await runtime.call('master_key.use', { check })
	} catch (error) {
		if (error instanceof PeerError && error.code === 'master_key_missing')
			throw new StartError(missingKey(config.MASTER_KEY_FILE))
		if (error instanceof PeerError && (error.code === 'master_key_unusable' || error.code === 'start_failed'))
			throw new StartError(error.message)
		throw error
	}
	const tellTime = () => runtime.notify('clock', { now: sharedNow(), at: machineMs() })
	tellTime()
	runtime.onRestart(tellTime)
	lease.onRenewed(tellTime)
}

async function initOf(config: Config, sql: Sql): Promise<RuntimeInit> {
	return {
		masterKeyFile: config.MASTER_KEY_FILE,
		mayGenerate: (await masterKeyCheck(sql)) === null,
		egressAllow: config.EGRESS_ALLOW,
		own: {
			origin: new URL(config.BASE_URL).origin,
			place: new URL(config.PLACE_URL).origin,
			listener: listenerUrl(config),
			paths: guardPaths,
			pattern: agentPaths,
		},
		ownAgents: agentUrls({ url: config.PLACE_URL, domain: config.DEPLOYMENT_DOMAIN }),
		providerTimeoutMs: config.PROVIDER_TIMEOUT_SECONDS * 1000,
		providerCallMs: config.PROVIDER_CALL_SECONDS * 1000,
		connectorCeilingMs: config.CONNECTOR_CALL_SECONDS * 1000,
		questionMs: config.CONNECTOR_QUESTION_SECONDS * 1000,
		dataDir: config.DATA_DIR,
		sandboxRequire: config.SANDBOX_REQUIRE,
		warmSpares: config.WARM_SPARES,
		idleStopMs: config.IDLE_STOP_SECONDS * 1000,
		ceilings: runCeilings(config),
		prices: await priceTable(sql),
	}
}

/** What the runtime asks waits for a database that is away, and may be asked twice (runtime/wire/host-calls.ts). */
function patientCalls(sql: Sql, calls: HostHandlers['calls']): HostHandlers['calls'] {
	const patient = patience(sql)
	const waiting = Object.entries(calls).map(([name, call]) => [
		name,
		(args: never) => patient(() => (call as (args: never) => Promise<unknown>)(args)),
	])
	return Object.fromEntries(waiting)
}
