import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { openDatabase, startEmbedded } from '../../host/db/index.ts'

const MEMORY = '/dev/shm'
const ROOM_BYTES = 6 * 1024 ** 3

declare module 'vitest' {
	interface ProvidedContext {
		/** Folder of the socket of this test run's Postgres; its database `template` has the schema and no rows. */
		postgres: string
		/** A folder that goes with this test run; a file `PID.host` in it names a host that ends with it too. */
		run: string
	}
}

/** Tests drive the processes that ship: dist/ is built (or found fresh) before the first of them. One Postgres a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const built = spawnSync(process.execPath, ['.tools/build.mjs'], { stdio: 'inherit' })
	if (built.status !== 0) throw new Error('the build failed; see above')
	const dataDir = mkdtempSync(join(inMemory() ?? tmpdir(), 'berth-test-'))
	// So that what tests leave there goes with the run, too.
	process.env.TMPDIR = dataDir
	// Test processes and the hosts they start compile each module once a run, not once a process.
	process.env.NODE_COMPILE_CACHE = join(dataDir, 'compiled')
	// They write it down as they end, some of them after the teardown.
	process.on('exit', () => remove(dataDir))
	const log = pino({ level: 'error' }, pino.destination(2))
	const server = await startEmbedded({
		dataDir,
		log,
		onLost: (error) => log.error(error),
		// Nothing here outlives the run, so nothing need reach the disk.
		settings: { max_connections: 300, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
	})
	const socket = String(server.connection.host)
	await createTemplate(socket, log)
	project.provide('postgres', socket)
	project.provide('run', dataDir)
	return async () => {
		await endHosts(dataDir)
		await server.stop()
		remove(dataDir)
	}
}

/** Nothing that a run writes need reach a disk; in memory, a database for a test takes a third of the CPU. */
function inMemory(): string | undefined {
	const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
	// Tests run programs that they write.
	if (!/^\S+ \/dev\/shm tmpfs rw(?!\S*noexec)/m.test(mounts)) return undefined
	const { bavail, bsize } = statfsSync(MEMORY)
	return Math.min(bavail * bsize, freemem()) > ROOM_BYTES ? MEMORY : undefined
}

/** Of an interrupted run, processes may still write there: for some seconds it is tried again. */
function remove(folder: string): void {
	rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 })
}

/** Those that test files shared; they end by themselves once their test process is gone. */
async function endHosts(folder: string): Promise<void> {
	const pids = readdirSync(folder).flatMap((name) => /^(\d+)\.host$/.exec(name)?.[1] ?? [])
	for (const end = Date.now() + 20_000; pids.some((pid) => existsSync(`/proc/${pid}`)); await sleep(50)) {
		if (Date.now() > end) throw new Error(`a host that test files shared has not ended: ${pids.join(', ')}`)
	}
}

async function createTemplate(socket: string, log: Parameters<typeof openDatabase>[1]): Promise<void> {
	const open = (name: string) =>
		openDatabase({ DATA_DIR: '', DATABASE_URL: `postgres://app@/${name}?host=${socket}` }, log, () => {})
	const maintenance = await open('postgres')
	await maintenance.sql`create database template`
	await maintenance.close()
	await (await open('template')).close()
}
