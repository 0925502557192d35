/**
 * A cgroup for each sandbox process: a bound of memory and of threads that the kernel keeps, also between two looks of the
 * watch. It is made before the process, which joins it itself, and removed after it.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startOf } from '../usage.ts'
import { type CgroupFolders, findPlace } from './place.ts'

export interface Cgroup {
	/** For the launcher (EXPENDABLE). */
	env: Record<string, string>
	/** So many megabytes and up to `STEP_MB` more, so that the watch, which names the run, is mostly first. */
	allow(megabytes: number): void
	/** The kernel has killed in it, because of this very bound. */
	outOfMemory(): boolean
	/** After its processes are gone. */
	remove(): void
}

export interface Cgroups {
	make(): Cgroup
	close(): void
}

const STEP_MB = 512
/** Of a process that has no run yet: two of 128 MB fit in. */
const FIRST_MB = 1_536
const BYTES_PER_MB = 1024 * 1024
/** Node's own and the launcher's; isolated-vm and V8 start some for each processor. */
const MAX_THREADS = 64 + 4 * availableParallelism()
/** Processes that have been killed take a moment to be gone. */
const REMOVE_MS = 200
const REMOVE_TRIES = 25

const FILES = {
	1: {
		limit: 'memory.limit_in_bytes',
		noSwap: 'memory.swappiness',
		hits: 'memory.failcnt',
		kills: 'memory.oom_control',
	},
	2: { limit: 'memory.max', noSwap: 'memory.swap.max', hits: 'memory.events', kills: 'memory.events' },
}

let made = 0

/** Tried with one; throws where that does not work, with the reason. What killed runtimes left behind is removed. */
function openCgroups(): Cgroups {
	const place = findPlace()
	const make = () => makeCgroup(place)
	try {
		make().remove()
		for (const dir of place.dirs) removeLeftIn(dir)
	} catch (error) {
		place.leave()
		throw error
	}
	return { make, close: () => place.leave() }
}

/** Or why there are none. */
export function tryCgroups(): [Cgroups, undefined] | [undefined, string] {
	try {
		return [openCgroups(), undefined]
	} catch (error) {
		return [undefined, (error as Error).message]
	}
}

function makeCgroup({ version, dirs }: CgroupFolders): Cgroup {
	const name = `berth-${process.pid}-${startOf(process.pid)}-${++made}`
	const own = dirs.map((dir) => join(dir, name))
	const [memory = '', pids = memory] = own
	const files = FILES[version]
	let limitMb = 0
	const allow = (megabytes: number) => {
		const next = Math.ceil(megabytes / STEP_MB) * STEP_MB
		if (next <= limitMb && next >= limitMb / 2) return
		writeFileSync(join(memory, files.limit), String(next * BYTES_PER_MB))
		limitMb = next
	}
	const count = (file: string, pattern: RegExp) => Number(pattern.exec(read(join(memory, file)))?.[1] ?? 0)
	const remove = () => {
		for (const dir of own) removeDir(dir)
	}
	try {
		for (const dir of own) mkdirSync(dir)
		allow(FIRST_MB)
		writeFileSync(join(pids, 'pids.max'), String(MAX_THREADS))
	} catch (error) {
		remove()
		throw error
	}
	attempt(() => writeFileSync(join(memory, files.noSwap), '0'))
	return {
		env: { CGROUP: memory, CGROUP_OF_PIDS: pids },
		// A bound that the kernel cannot lower yet is tried again at the next look.
		allow: (megabytes) => attempt(() => allow(megabytes)),
		// The first is of this bound alone: the second counts what a machine without memory kills, too.
		outOfMemory: () =>
			count(files.hits, /^(?:oom )?(\d+)$/m) > 0 && count(files.kills, /^oom_kill (\d+)$/m) > 0,
		remove,
	}
}

function removeLeftIn(dir: string): void {
	for (const name of readdirSync(dir)) {
		const [, pid, start] = /^berth-(\d+)-(\d+)-\d+$/.exec(name) ?? []
		if (pid !== undefined && startOf(Number(pid)) !== Number(start)) removeDir(join(dir, name))
	}
}

function removeDir(dir: string, tries = REMOVE_TRIES): void {
	try {
		rmdirSync(dir)
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === 0) return
		setTimeout(removeDir, REMOVE_MS, dir, tries - 1).unref()
	}
}

function read(path: string): string {
	try {
		return readFileSync(path, 'utf8')
	} catch {
		return ''
	}
}

function attempt(act: () => void): void {
	try {
		act()
	} catch {
		// Said where it matters.
	}
}
