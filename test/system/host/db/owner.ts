// A process that owns an embedded database and does nothing else: what dies in these tests.
import { pino } from 'pino'
import { startEmbedded } from '../../../../host/db/embedded.ts'

try {
	const server = await startEmbedded({
		dataDir: process.argv[2] as string,
		log: pino({ level: 'silent' }),
		onLost: (error) => console.log(`lost ${error.message}`),
	})
	console.log(JSON.stringify({ pid: server.pid(), connection: server.connection }))
	process.on('SIGTERM', () => server.stop().then(() => process.exit(0)))
	setInterval(() => {}, 60_000)
} catch (error) {
	console.log((error as Error).message)
	process.exit(1)
}
