import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { forbidCoreDumps } from '../../runtime/lib/core-dumps.ts'
import { closeInherited } from '../../runtime/lib/descriptors.ts'
import { growSlowly } from '../../runtime/lib/heap.ts'
import { giveBackWhenIdle } from '../../runtime/lib/idle-memory.ts'
import { loggedError } from '../../runtime/lib/log-error.ts'
import { ensurePlans, firstOperatorLink } from '../accounts/index.ts'
import { writeLocalOperator } from '../auth/index.ts'
import { openPrices } from '../budgets/index.ts'
import { dataDirFault, openDatabase } from '../db/index.ts'
import { watchStops } from '../deployments/index.ts'
import type { App } from '../http/route.ts'
import { version } from '../lib/root.ts'
import { StartError } from '../lib/start-error.ts'
import { watchMasterKey } from '../master-key/index.ts'
import { exportMetrics } from '../metrics/index.ts'
import { type Config, ConfigError, readConfig } from '../settings/config.ts'
import { listenerUrl, settleAddress } from './address.ts'
import { newApp } from './app.ts'
import { openBase } from './base.ts'
import { settingFaults } from './faults.ts'
import { type Features, makeFeatures, runtimeHandlers } from './features.ts'
import { logLines, logRecords } from './log-lines.ts'
import { logTraces } from './log-traces.ts'
import { readings } from './readings.ts'
import { addRoutes } from './routes.ts'
import { startRuntime } from './runtime.ts'
import { stopOnSignal, stops } from './stop.ts'

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
	const traced = logTraces()
	const options = {
		level: config.LOG_LEVEL,
		serializers: { err: loggedError },
		formatters: { log: traced.add },
	}
	const log = pino(options, process.stdout.isTTY ? logLines(process.stdout) : logRecords())
	const { fail, add } = stopping
	stopping.log = log
	stopOnSignal(stopping, config)
	log.info({ version, node: process.version, data_dir: config.DATA_DIR }, 'Berth starts')
	if (dumpable) log.warn(dumpable)

	// 1. Database, with the schema of this code.
	const database = await openDatabase(config, log, fail)
	add('database', database.close)
	log.info({ database: database.name }, 'database open')

	await ensurePlans(database.sql)

	// 2. This host among the hosts, then its features, each made of what stands before it.
	const features = makeFeatures(await openBase(config, database, log, stopping))
	const { runtime, runs } = features
	traced.findBy((run) => runs.live.get(run)?.trace?.traceparent)

	// 3. Runtime and sandboxes; the master key must be this database's.
	await startRuntime(features, runtimeHandlers(features))
	add('runtime', async (code) => {
		// Without what it needs, the host can write down nothing more: it ends for its supervisor to start it again.
		await runtime.close(0, code === 0 ? config.STOP_GRACE_SECONDS * 1000 : 0)
		await runs.release()
	})
	log.info({ sandbox: runtime.layers() }, 'runtime ready')
	add('master key', watchMasterKey(features, fail).stop)

	// 4. Everything that answers, then everything that works by itself.
	const app = newApp(features)
	const read = readings(features)
	await addRoutes(app, { ...features, read })
	const exported = await exportMetrics({ ...features, read })
	if (exported) add('metrics', exported)
	await startWork(app, features)

	// 5. Listen last.
	const { HOST, PORT } = config
	await app.listen({ host: HOST, port: PORT }).catch((cause: NodeJS.ErrnoException) => {
		const why =
			cause.code === 'EADDRINUSE' ? ', which another program uses: end that, or set another PORT' : ''
		throw new StartError(`Berth cannot listen at HOST ${HOST}, PORT ${PORT} (${cause.code})${why}.`, {
			cause,
		})
	})
	writeLocalOperator(config.DATA_DIR)
	const link = await firstOperatorLink(features, config.BASE_URL)
	log.info({ base_url: config.BASE_URL, listener: listenerUrl(config) }, 'Berth is ready')
	if (link) console.log(`\nSign in as the first operator, once, within a day:\n  ${link}\n`)
}

/** In the order in which each may rely on those before it; they are stopped the other way round. */
async function startWork(app: App, features: Features): Promise<void> {
	const { config, log, alerts, deployments, runs, webhooks, schedules } = features
	const { add } = stopping
	await deployments.start(runs.live)
	const abandoned = watchStops(features, (config.HOST_LEASE_SECONDS * 1000) / 3)
	add('deployments', async () => {
		await abandoned.stop()
		await deployments.stop()
	})
	const prices = await openPrices(features)
	add('prices', prices.stop)
	await runs.start()
	alerts.start()
	webhooks.start()
	add('webhooks', () => webhooks.stop())
	add('service', async () => {
		const closed = app.close()
		await runs.stop(config.SHUTDOWN_SECONDS * 1000)
		await Promise.race([closed, sleep(lastAnswersMs)])
		app.server.closeAllConnections()
		await closed
	})
	add('schedules', schedules.stop)
	schedules.start()
	growSlowly()
	const memory = giveBackWhenIdle({ onError: (err) => log.error({ err }, 'memory was not given back') })
	add('memory', async () => memory.stop())
}
