import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startHost, type TestHost, unlistedAnswer } from './host.ts'

let shared: Promise<TestHost> | undefined

/**
 * The host of this test process, for files that need nothing of it but accounts of their own: no setting, no restart, and
 * nothing that is all accounts' (prices, the guard's switches, rows without an owner). It may reach 127.0.0.1. `close` ends
 * the file's use of it; the host ends with the test run.
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

async function start(): Promise<TestHost> {
	const folder = join(inject('run'), `host-${process.pid}`)
	mkdirSync(folder, { recursive: true })
	const host = await startHost({ dataDir: folder, egressAllow: ['127.0.0.1'] })
	writeFileSync(join(inject('run'), `${host.pid}.host`), '')
	return host
}
