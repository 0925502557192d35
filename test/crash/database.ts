import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { type Embedded, startEmbedded } from '../../host/db/embedded.ts'
import { descendants } from '../kit/host.ts'

/** The database of the hosts, under a supervisor of its own. */
export interface KeptDatabase {
	connection: Embedded['connection']
	pid(): number | undefined
	processes(): number[]
	/** Stopped in order, and started again so much later. */
	outage(ms: number): Promise<void>
	stop(): Promise<void>
}

const restartsPerMinute = 60

export async function keepDatabase(dataDir: string, log: (line: string) => void): Promise<KeptDatabase> {
	const open = () =>
		startEmbedded({
			dataDir,
			log: pino({ level: 'silent' }),
			onLost: (error) => log(`the database was lost: ${error.message}`),
			restartsPerMinute,
			settings: { track_commit_timestamp: 'on' },
		})
	let server = await open()
	return {
		connection: server.connection,
		pid: () => server.pid(),
		processes: () => descendants(server.pid() ?? process.pid).filter((pid) => pid !== process.pid),
		async outage(ms) {
			const until = Date.now() + ms
			await server.stop()
			await sleep(Math.max(0, until - Date.now()))
			server = await open()
		},
		stop: () => server.stop(),
	}
}
