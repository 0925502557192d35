import { spawnSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * One process a folder: a file that appears whole (by link) and names its holder. A holder that is gone, or whose
 * process id now belongs to another process, has lost it. Returns its release; null where a live process holds it.
 */
export function takeLock(file: string): (() => void) | null {
	const mine = JSON.stringify(self(process.pid))
	const draft = `${file}.${process.pid}`
	writeFileSync(draft, mine, { mode: 0o600 })
	try {
		for (;;) {
			try {
				linkSync(draft, file)
				return () => {
					if (read(file) === mine) rmSync(file, { force: true })
				}
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
			}
			const held = read(file)
			if (held !== null && lives(held)) return null
			if (held !== null) removeIfStill(file, held)
		}
	} finally {
		rmSync(draft, { force: true })
	}
}

interface Holder {
	pid: number
	/** Start time: in clock ticks since boot from /proc, else as `ps` shows it. */
	started: string | null
}

function self(pid: number): Holder {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
		return { pid, started: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null }
	} catch {
		const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
		return { pid, started: stdout?.trim() || null }
	}
}

function lives(text: string): boolean {
	try {
		const { pid, started } = JSON.parse(text) as Holder
		return exists(pid) && self(pid).started === started
	} catch {
		return false
	}
}

export function exists(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM'
	}
}

/** Two processes may find the same stale file: the one that moves somebody's fresh file puts it back. */
function removeIfStill(file: string, stale: string): void {
	const aside = `${file}.stale.${process.pid}`
	try {
		renameSync(file, aside)
		if (read(aside) !== stale) linkSync(aside, file)
	} catch (error) {
		if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
	} finally {
		rmSync(aside, { force: true })
	}
}

function read(file: string): string | null {
	try {
		return readFileSync(file, 'utf8')
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
		throw error
	}
}
