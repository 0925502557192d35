import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { forbidCoreDumps } from '../../runtime/lib/core-dumps.ts'
import { closeInherited } from '../../runtime/lib/descriptors.ts'
import { giveBackWhenIdle } from '../../runtime/lib/idle-memory.ts'
import { loggedError } from '../../runtime/lib/log-error.ts'
import { openRuntime, type Runtime } from '../../runtime/supervisor/start.ts'
import { ensurePlans, firstOperatorLink } from '../accounts/index.ts'
import { openAuth, openSecrets, signInThrottle, writeLocalOperator } from '../auth/index.ts'
import { openPrices } from '../budgets/index.ts'
import type { Host } from '../context.ts'
import { type Database, dataDirFault, openDatabase, takeLease } from '../db/index.ts'
import { deploymentAt, knowDeployments, stopAccount, watchStops } from '../deployments/index.ts'
import { createMetrics } from '../http/metrics.ts'
import { newId } from '../lib/ids.ts'
import { version } from '../lib/root.ts'
import { StartError } from '../lib/start-error.ts'
import { openRuns } from '../runs/index.ts'
import { openSchedules } from '../schedules/index.ts'
import { type Config, ConfigError, readConfig } from '../settings/config.ts'
import { openWebhooks } from '../webhooks/index.ts'
import { listenerUrl, settleAddress } from './address.ts'
import { buildApp } from './app.ts'
import { watchDisk } from './disk.ts'
import { settingFaults } from './faults.ts'
import { runtimeHandlers } from './handlers.ts'
import { logLines } from './log-lines.ts'
import { startRuntime } from './runtime.ts'
import { type Stop, stopOnSignal, stops } from './stop.ts'

/** For the answers of callers whose runs are handed over; streams are cut then, and go on elsewhere. */
const lastAnswersMs = 500

closeInherited()
const dumpable = forbidCoreDumps()
const stopping = stops()
try {
	const config = await settleAddress(readConfig(process.env, settingFaults))
	await start(config).catch((error) => {
		throw dataDirFault(config.DATA_DIR, error)
	})
} catch (error) {
	// In plain words where we know why; with its stack where we do not. A start that a signal ended is no failure.
	if (!stopping.asked())
		console.error(error instanceof ConfigError || error instanceof StartError ? error.message : error)
	await stopping.run(1)
}

async function start(config: Config): Promise<void> {
	const options = { level: config.LOG_LEVEL, serializers: { err: loggedError } }
	const log = pino(options, ...(process.stdout.isTTY ? [logLines(process.stdout)] : []))
	const { fail, add } = stopping
	stopping.log = log
	stopOnSignal(stopping, config)
	log.info({ version, node: process.version, data_dir: config.DATA_DIR }, 'Berth starts')
	if (dumpable) log.warn(dumpable)

	// 1. Database, with the schema of this code.
	const database = await openDatabase(config, log, fail)
	add('database', database.close)
	log.info({ database: database.name }, 'database open')

	// 2. This host, and what it holds in memory.
	const runtime = openRuntime({
		onExit: (how) => log.error({ how }, 'the runtime ended; it is started again'),
		onGiveUp: fail,
	})
	const host = await makeHost(config, database, log, add, runtime)

	// 3. Runtime and sandboxes; the master key must be this database's.
	await startRuntime(host, runtimeHandlers(host))
	add('runtime', async () => {
		await runtime.close(0)
		await host.runs.release()
	})
	log.info({ sandbox: runtime.layers() }, 'runtime ready')

	// 4. Everything that answers, then everything that works by itself.
	const app = await buildApp(host)
	await host.deployments.start(host.runs.live)
	const left = watchStops(host, (config.HOST_LEASE_SECONDS * 1000) / 3)
	add('deployments', async () => {
		await left.stop()
		await host.deployments.stop()
	})
	const prices = await openPrices(host)
	add('prices', prices.stop)
	await host.runs.start()
	await host.webhooks.start()
	add('webhooks', () => host.webhooks.stop())
	add('service', async () => {
		const closed = app.close()
		await host.runs.stop(config.SHUTDOWN_SECONDS * 1000)
		await Promise.race([closed, sleep(lastAnswersMs)])
		app.server.closeAllConnections()
		await closed
	})
	const schedules = openSchedules(host)
	add('schedules', schedules.stop)
	schedules.start()

	const memory = giveBackWhenIdle({ onError: (err) => log.error({ err }, 'memory was not given back') })
	add('memory', async () => memory.stop())

	// 5. The door opens last.
	const { HOST, PORT } = config
	await app.listen({ host: HOST, port: PORT }).catch((cause: NodeJS.ErrnoException) => {
		throw new StartError(`Berth cannot listen at HOST ${HOST}, PORT ${PORT} (${cause.code}).`, { cause })
	})
	writeLocalOperator(config.DATA_DIR)
	const link = await firstOperatorLink(host, config.BASE_URL)
	log.info({ base_url: config.BASE_URL, listener: listenerUrl(config) }, 'Berth is ready')
	if (link) console.log(`\nSign in as the first operator, once, within a day:\n  ${link}\n`)
}

async function makeHost(
	config: Config,
	database: Database,
	log: Host['log'],
	add: Stop['add'],
	runtime: Runtime,
): Promise<Host> {
	const { sql, listen, connection } = database
	await ensurePlans(sql)
	const id = newId('hst')
	const lease = await takeLease(connection, {
		id,
		seconds: config.HOST_LEASE_SECONDS,
		alone: config.DATABASE_URL === '',
		log,
	})
	add('lease', lease.release)
	const secrets = await openSecrets(sql, listen, log)
	add('secrets', secrets.close)
	const disk = await watchDisk({
		dir: config.DATA_DIR,
		minFreeMb: config.DATABASE_URL === '' ? config.DISK_MIN_FREE_MB : 0,
		log,
	})
	add('disk', async () => disk.stop())
	const stopped = new AbortController()
	add('work', async () => stopped.abort())
	// What needs the host to be made is set on it next; nothing reads it before.
	const host = {
		config,
		id,
		log,
		sql,
		listen,
		connection,
		runtime,
		secrets,
		lease,
		disk,
		metrics: createMetrics(),
		signal: stopped.signal,
	} as unknown as Host
	host.throttle = signInThrottle()
	host.auth = openAuth({ config, sql, secrets })
	host.hooks = {
		accountDisabled: (accountId) => stopAccount(host, accountId),
	}
	host.deployments = knowDeployments(host)
	host.at = deploymentAt(host.deployments, host.auth)
	host.runs = openRuns(host)
	host.webhooks = openWebhooks({ ...host, listener: listenerUrl(config) })
	return host
}
