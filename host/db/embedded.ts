import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { makeFolder } from '../../runtime/lib/folder.ts'
import { StartError } from '../lib/start-error.ts'
import { type Cluster, postgresEnv, prepareCluster } from './cluster.ts'
import { diskFull, isDiskFull } from './data-dir.ts'
import { endLeftBehind, postmasterPid } from './left-behind.ts'
import { takeLock } from './lock.ts'

/** A Postgres server of ours, over the binaries from npm: unix socket only, fsync on, gone when this process is. */
export interface Embedded {
	connection: postgres.Options<Record<string, postgres.PostgresType>>
	/** Process id of the server now running. */
	pid(): number | undefined
	stop(): Promise<void>
}

export interface EmbeddedOptions {
	/** The folder the server's lives in; `postgres/` is made within. */
	dataDir: string
	log: FastifyBaseLogger
	/** The server died and could not be brought back. */
	onLost: (error: Error) => void
	/** Server settings besides ours. */
	settings?: Record<string, string | number>
	/** Where it ends more often than so, something is wrong with it. */
	restartsPerMinute?: number
}

/** How long a start waits for the host before us to be gone, in ms. */
const lockPatienceMs = 4_000
/** Recovery after a crash can take long; an exit ends the wait at once. */
const readyPatienceMs = 300_000
const stopPatienceMs = 20_000
const defaultRestarts = 5
const restartWindowMs = 60_000
/** After a start that failed. */
const restartMs = 250
/** While the disk is full. */
const fullMs = 2_000

// The server's standard input is our pipe: when this process is gone, however it went, `cat` ends and the server is
// told to stop. Its session is its own, so that a Ctrl-C at the terminal reaches us first.
const guard =
	'exec 3<&0; "$0" "$@" </dev/null 3<&- & p=$!; (cat <&3 >/dev/null; kill -INT $p 2>/dev/null) & g=$!; ' +
	'exec 3<&- </dev/null; wait $p; s=$?; kill $g 2>/dev/null; exit $s'

export class DataDirInUse extends StartError {
	constructor(dataDir: string) {
		super(
			`Another host is running on DATA_DIR ${dataDir}. The embedded database belongs to one host: stop that one, or give several hosts one DATABASE_URL.`,
		)
	}
}

export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
	const dir = resolve(options.dataDir, 'postgres')
	makeFolder(dir)
	const release = await waitForLock(join(dir, 'host.lock'), options.dataDir)
	try {
		return await supervise(await prepareCluster(dir, options.log), options, release)
	} catch (error) {
		release()
		throw error
	}
}

async function waitForLock(file: string, dataDir: string): Promise<() => void> {
	for (const end = performance.now() + lockPatienceMs; ; ) {
		const release = takeLock(file)
		if (release) return release
		if (performance.now() > end) throw new DataDirInUse(dataDir)
		await delay(100)
	}
}

async function supervise(cluster: Cluster, options: EmbeddedOptions, release: () => void): Promise<Embedded> {
	let stopping = false
	const maxRestarts = options.restartsPerMinute ?? defaultRestarts
	let restarts: number[] = []
	const noRoom = diskFull(options.dataDir).message
	let server = await startServer(cluster, options)
	watch()

	function watch() {
		server.exited.then(({ why }) => {
			if (!stopping) void restart(why)
		})
	}
	/** A server that dies again as it starts counts like one that was up. */
	async function restart(why: string): Promise<void> {
		options.log.error({ why }, 'the embedded database ended; starting it again')
		const now = performance.now()
		// One that has no room comes back by itself, however long that takes.
		const full = isDiskFull(why) || why === noRoom
		restarts = [...restarts.filter((at) => now - at < restartWindowMs), ...(full ? [] : [now])]
		if (restarts.length > maxRestarts)
			return options.onLost(new StartError(`The embedded database keeps ending: ${why}`))
		try {
			const next = await startServer(cluster, options)
			if (stopping) await next.stop()
			server = next
			watch()
		} catch (error) {
			await delay(full ? fullMs : restartMs)
			if (!stopping) await restart((error as Error).message)
		}
	}
	return {
		connection: connectionOf(cluster),
		pid: () => server.pid(),
		stop: async () => {
			stopping = true
			await server.stop()
			release()
		},
	}
}

function connectionOf({ socketDir }: Cluster): Embedded['connection'] {
	return { host: socketDir, path: join(socketDir, '.s.PGSQL.5432'), user: 'app', database: 'postgres' }
}

interface Server {
	exited: Promise<{ why: string }>
	pid(): number | undefined
	stop(): Promise<void>
}

/** Resolves when the server answers. A server before it is ended; what else still holds its memory is waited for. */
async function startServer(cluster: Cluster, options: EmbeddedOptions): Promise<Server> {
	await endLeftBehind(cluster.dataDir)
	for (const end = performance.now() + lockPatienceMs; ; ) {
		const server = spawnServer(cluster, options)
		const asking = new AbortController()
		const ended = await Promise.race([waitUntilReady(cluster, asking.signal), server.exited])
		asking.abort()
		if (!ended) return server
		const locked = /lock file ".*" already exists|pre-existing shared memory block/.test(ended.why)
		if (locked && performance.now() < end) await delay(200)
		else if (locked) throw new DataDirInUse(options.dataDir)
		else if (isDiskFull(ended.why)) throw diskFull(options.dataDir)
		else throw new StartError(`The embedded database did not start: ${ended.why}`)
	}
}

function spawnServer(cluster: Cluster, { log, settings }: EmbeddedOptions): Server {
	const all = {
		listen_addresses: '',
		unix_socket_directories: cluster.socketDir,
		unix_socket_permissions: '0700',
		shared_buffers: '32MB',
		max_wal_size: '256MB',
		jit: 'off',
		timezone: 'UTC',
		log_timezone: 'UTC',
		// An ERROR, its detail and its statement quote rows; the host is told of it anyway.
		log_min_messages: 'log',
		log_min_error_statement: 'panic',
		log_error_verbosity: 'terse',
		...settings,
	}
	const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
	const { command, uid, gid } = cluster.run('postgres', ['-D', cluster.dataDir, ...args])
	const child = spawn('/bin/sh', ['-c', guard, ...command], {
		uid,
		gid,
		env: postgresEnv(),
		stdio: ['pipe', 'ignore', 'pipe'],
		detached: true,
	})
	child.stdin.on('error', () => {})
	const last: string[] = []
	createInterface({ input: child.stderr }).on('line', (line) => {
		last.push(line)
		if (last.length > 20) last.shift()
		const grave = / (FATAL|PANIC): /.test(line) && !line.includes('is starting up')
		log[grave ? 'warn' : 'debug']({ postgres: line }, 'embedded database')
	})
	const exited = new Promise<{ why: string }>((resolve) => {
		child.once('error', (error) => resolve({ why: error.message }))
		// `close`, not `exit`: what it said last is to be read first.
		child.once('exit', () => child.stdin.destroy())
		child.once('close', (code, signal) => resolve({ why: last.join('\n') || `exit ${code ?? signal}` }))
	})
	return { exited, pid: () => postmasterPid(cluster.dataDir), stop: () => stopServer(cluster, child, exited) }
}

async function waitUntilReady(cluster: Cluster, signal: AbortSignal): Promise<null> {
	for (
		const end = performance.now() + readyPatienceMs;
		performance.now() < end && !signal.aborted;
		await delay(20)
	) {
		const probe = postgres({
			...connectionOf(cluster),
			max: 1,
			connect_timeout: 5,
			fetch_types: false,
			onnotice: () => {},
		})
		try {
			await probe`select 1`
			return null
		} catch {
			// Not yet there, or still recovering (57P03): its exit ends the wait, too.
		} finally {
			await probe.end({ timeout: 1 })
		}
	}
	if (signal.aborted) return null
	throw new StartError('The embedded database did not answer in time.')
}

/** Fast shutdown by closing the guard's pipe; then at once (SIGQUIT recovers on the next start). */
async function stopServer(cluster: Cluster, child: ChildProcess, exited: Promise<unknown>): Promise<void> {
	child.stdin?.destroy()
	const pid = postmasterPid(cluster.dataDir)
	for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
		const timer = new AbortController()
		const done = await Promise.race([
			exited.then(() => true),
			delay(stopPatienceMs, false, { signal: timer.signal }).catch(() => false),
		])
		timer.abort()
		if (done) return
		if (pid) process.kill(pid, signal)
	}
	await exited
}
