import { machineMs, sharedNow } from '../../runtime/lib/clock.ts'
import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import { type RuntimeHandle, startRuntime } from '../../runtime/supervisor/start.ts'
import { PeerError } from '../../runtime/wire/peer.ts'
import { priceTable } from '../budgets/index.ts'
import type { Host } from '../context.ts'
import { patience } from '../db/index.ts'
import { deploymentHandlers } from '../deployments/index.ts'
import { StartError } from '../lib/start-error.ts'
import { memoryHandlers } from '../memory/index.ts'
import { runHandlers } from '../runs/index.ts'
import { runCeilings } from '../settings/config.ts'
import { listenerUrl } from './address.ts'
import { masterKeyCheck, missingKey, requireMasterKey } from './master-key.ts'

/**
 * What an agent of this host may reach of its own guard (spec egress.own-origin-paths); any other path of that origin
 * is refused.
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

/** Starts the runtime and keeps it; refuses a master key that is not this database's. */
export async function keepRuntime(host: Host, onGiveUp: (error: Error) => void): Promise<RuntimeHandle> {
	const { config, log, sql } = host
	const expected = await masterKeyCheck(sql)
	try {
		const runtime = await startRuntime({
			init: {
				masterKeyFile: config.MASTER_KEY_FILE,
				mayGenerate: expected === null,
				egressAllow: config.EGRESS_ALLOW,
				own: { origin: new URL(config.BASE_URL).origin, listener: listenerUrl(config), paths: guardPaths },
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
			},
			...handlers(host),
			onError: (error, name) => log.error({ err: error, call: name }, 'a call of the runtime failed'),
			onExit: (how) => log.error({ how }, 'the runtime ended; it is started again'),
			onGiveUp,
		})
		await requireMasterKey(sql, runtime.check, config.MASTER_KEY_FILE).catch(async (error) => {
			await runtime.close(0)
			throw error
		})
		const tellTime = () => runtime.notify('clock', { now: sharedNow(), at: machineMs() })
		tellTime()
		runtime.onRestart(tellTime)
		host.lease.onRenewed(tellTime)
		return runtime
	} catch (error) {
		if (error instanceof PeerError && error.code === 'master_key_missing')
			throw new StartError(missingKey(config.MASTER_KEY_FILE))
		if (error instanceof PeerError && (error.code === 'master_key_unusable' || error.code === 'start_failed'))
			throw new StartError(error.message)
		throw error
	}
}

function handlers(host: Host): HostHandlers {
	const calls = {
		...deploymentHandlers(host).calls,
		...memoryHandlers(host.sql).calls,
		...runHandlers(host).calls,
	}
	const patient = patience(host.sql)
	const waiting = Object.entries(calls).map(([name, call]) => [
		name,
		(args: never) => patient(() => (call as (args: never) => Promise<unknown>)(args)),
	])
	return {
		// What the runtime asks may be asked twice (runtime/wire/host-calls.ts).
		calls: Object.fromEntries(waiting),
		notes: {
			...deploymentHandlers(host).notes,
			log: ({ level, message, data }) => host.log[level]({ ...data }, message),
		},
	}
}
