import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { exists } from './lock.ts'

/** In this order, each for so long: fast shutdown, then at once; the next start recovers. */
const signals = [
	['SIGINT', 10_000],
	['SIGQUIT', 5_000],
	['SIGKILL', 5_000],
] as const
const lookMs = 20
/** No process has this number: Postgres takes the file for stale, but still looks for processes that use its memory. */
const nobody = 2 ** 31 - 1

/**
 * Clears the way for a server in `dataDir`, for who holds the host's lock on it: nobody else may run one there. A server
 * that outlived its host is ended. A `postmaster.pid` whose number another program has by now is marked as stale, since
 * Postgres itself looks only whether a process of that number is alive.
 */
export async function endLeftBehind(dataDir: string): Promise<void> {
	const pid = postmasterPid(dataDir)
	if (pid === undefined || !exists(pid)) return
	for (const [signal, graceMs] of signals) {
		if (!serves(pid, dataDir)) break
		kill(pid, signal)
		for (const end = performance.now() + graceMs; serves(pid, dataDir) && performance.now() < end; )
			await delay(lookMs)
	}
	if (postmasterPid(dataDir) === pid && exists(pid) && !serves(pid, dataDir)) {
		const file = join(dataDir, 'postmaster.pid')
		writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(nobody)))
	}
}

/** Of the server that runs in `dataDir`, or ran there last. */
export function postmasterPid(dataDir: string): number | undefined {
	try {
		return Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10) || undefined
	} catch {
		return undefined
	}
}

function kill(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal)
	} catch {
		// Gone meanwhile, or not ours to end: then the wait shows it.
	}
}

/** A server works in its own folder. Without /proc its command line tells. */
function serves(pid: number, dataDir: string): boolean {
	if (!exists(pid)) return false
	try {
		return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir)
	} catch {
		if (process.platform === 'linux') return false
		return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.includes(
			dataDir,
		)
	}
}
