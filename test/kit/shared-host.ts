import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startHost, type TestHost, unlistedAnswer } from './host.ts'

let shared: Promise<TestHost> | undefined

/**
 * The host of this test process, for files that need nothing of it but accounts of their own: no setting and no restart.
 * What is all accounts' (a price, the guard's switches) a file puts back; what it counts is its own accounts'. It may reach
 * every loopback address. A runtime that was killed is back by itself, but not after many kills in a minute: few files may
 * do it. `close` ends the file's use of it; the host ends with the test run.
 */
export async function sharedHost(): Promise<TestHost> {
	shared ??= start()
	const host = await shared
	const before = host.logs().length
	const logs = () => host.logs().slice(before)
	const close = async () => {
		const unlisted = logs().filter((line) => line.includes(unlistedAnswer))
		if (unlisted.length > 0) throw new Error(unlisted.join('\n'))
	}
	return { ...host, logs, close }
}

/** Another host on the database of one, for files that need two; the caller closes it. Their place keeps the address of the first. */
export const startBeside = ({ databaseUrl = '', dataDir, url }: TestHost, env: Record<string, string> = {}) =>
	startHost({
		database: databaseUrl,
		egressAllow: ['127.0.0.1'],
		env: { MASTER_KEY_FILE: join(dataDir, 'master.key'), PLACE_URL: url, ...env },
	})

async function start(): Promise<TestHost> {
	const folder = join(inject('run'), `host-${process.pid}`)
	mkdirSync(folder, { recursive: true })
	const host = await startHost({ dataDir: folder, egressAllow: ['127.0.0.0/8'] })
	writeFileSync(join(inject('run'), `${host.pid}.host`), '')
	return host
}
