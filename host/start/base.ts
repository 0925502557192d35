import type { FastifyBaseLogger } from 'fastify'
import { openRuntime } from '../../runtime/supervisor/start.ts'
import { openAlerts } from '../alerts/index.ts'
import { openSecrets } from '../auth/index.ts'
import { type Database, takeLease } from '../db/index.ts'
import { newId } from '../lib/ids.ts'
import { version } from '../lib/root.ts'
import { createMetrics } from '../metrics/index.ts'
import { openPlaces } from '../places/index.ts'
import type { Config } from '../settings/config.ts'
import { openTraces } from '../traces/index.ts'
import { listenerUrl } from './address.ts'
import { watchDisk } from './disk.ts'
import type { Stop } from './stop.ts'

export type Base = Awaited<ReturnType<typeof openBase>>

/** What stands before the features: this host's name and lease, its secrets, its disk, and its runtime, not started yet. */
export async function openBase(
	config: Config,
	{ sql, listen, connection }: Database,
	log: FastifyBaseLogger,
	{ add, fail }: Stop,
) {
	const id = newId('hst')
	const embedded = config.DATABASE_URL === ''
	const lease = await takeLease(connection, {
		id,
		seconds: config.HOST_LEASE_SECONDS,
		alone: embedded,
		version,
		address: listenerUrl(config),
		place: { id: config.PLACE, url: config.PLACE_URL },
		log,
	})
	add('lease', lease.release)
	const secrets = await openSecrets(sql, listen, log)
	add('secrets', secrets.close)
	const places = await openPlaces({ config, id, sql, listen, log })
	add('places', places.stop)
	const traces = await openTraces({ config, id, log })
	if (traces) add('traces', traces.stop)
	const minFreeMb = embedded ? config.DISK_MIN_FREE_MB : 0
	const alerts = openAlerts({ config, id, sql, log })
	add('alerts', alerts.stop)
	const disk = await watchDisk({ dir: config.DATA_DIR, minFreeMb, log, onLow: alerts.diskLow })
	add('disk', async () => disk.stop())
	const stopped = new AbortController()
	add('work', async () => stopped.abort())
	const runtime = openRuntime({
		onExit: (how) => log.error({ how }, 'the runtime ended; it is started again'),
		onGiveUp: fail,
	})
	return {
		config,
		/** This process, in the `hosts` table. */
		id,
		log,
		sql,
		listen,
		lease,
		places,
		secrets,
		alerts,
		disk,
		runtime,
		metrics: createMetrics({
			// For who brings the token, and the operator's collector.
			byDeployment: config.METRICS_TOKEN !== '' || config.OTEL_EXPORTER_OTLP_ENDPOINT !== '',
		}),
		traces,
		/** Aborted when this host must do no more work. */
		signal: stopped.signal,
	}
}
