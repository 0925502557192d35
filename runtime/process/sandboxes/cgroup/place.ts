/** Where this process may make cgroups (cgroups(7)) that bound memory and the number of processes: version 2, else 1. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { parentOf } from '../usage.ts'

export interface CgroupFolders {
	version: 1 | 2
	/** Directories that a process gets one in each of: of version 1, memory and pids, unless they are one. */
	dirs: string[]
	/** Leaves the machine as it was found. */
	leave(): void
}

/** The one that a version 2 cgroup's own processes go to, as it may not have both processes and limited children. */
const OWN = 'berth'
const CONTROLLERS = ['memory', 'pids']
/** A process may fork while it is moved. */
const MOVES = 5

/** Throws where there is no such place; the message says why. */
export function findPlace(): CgroupFolders {
	const unified = ownDir('')
	if (unified !== undefined && has(unified, 'cgroup.controllers')) return delegated(unified)
	const found = CONTROLLERS.map(ownDir)
	if (found.includes(undefined)) throw new Error('no cgroup with the controllers memory and pids is mounted')
	return { version: 1, dirs: Array.from(new Set(found as string[])), leave: () => {} }
}

/** This process's directory in the hierarchy of a controller, '' for version 2. */
function ownDir(controller: string): string | undefined {
	const line = read('/proc/self/cgroup')
		.split('\n')
		.map((one) => /^\d+:([^:]*):(.*)$/.exec(one))
		.find((one) => one?.[1]?.split(',').includes(controller))
	if (!line) return undefined
	for (const mount of read('/proc/self/mountinfo').split('\n')) {
		const [, root = '', at = '', type, options = ''] =
			/^\S+ \S+ \S+ (\S+) (\S+) .* - (cgroup2?) \S+ (\S+)$/.exec(mount) ?? []
		if (type !== (controller === '' ? 'cgroup2' : 'cgroup')) continue
		if (controller !== '' && !options.split(',').includes(controller)) continue
		const below = relative(root, line[2] as string)
		// Of another container's tree, as a cgroup namespace shows it.
		if (!below.startsWith('..')) return join(at, below)
	}
	return undefined
}

function delegated(dir: string): CgroupFolders {
	// A runtime that was started again.
	if (basename(dir) === OWN && has(dirname(dir), 'cgroup.subtree_control')) return placeIn(dirname(dir))
	if (has(dir, 'cgroup.subtree_control')) return placeIn(dir)
	const own = join(dir, OWN)
	const undo = () => {
		if (readdirSync(dir).some((name) => name.startsWith(`${OWN}-`))) return
		writeFileSync(join(dir, 'cgroup.subtree_control'), CONTROLLERS.map((one) => `-${one}`).join(' '))
		move(own, dir)
		rmdirSync(own)
	}
	const strangers = strangersIn(dir)
	if (strangers.length > 0) throw new Error(`${dir} holds other processes, too (${strangers.join(', ')})`)
	mkdirSync(own, { recursive: true })
	try {
		move(dir, own)
		writeFileSync(join(dir, 'cgroup.subtree_control'), CONTROLLERS.map((one) => `+${one}`).join(' '))
	} catch (error) {
		undo()
		throw error
	}
	return placeIn(dir, undo)
}

const placeIn = (dir: string, leave = () => {}): CgroupFolders => ({ version: 2, dirs: [dir], leave })

function move(from: string, to: string): void {
	for (let i = 0; i < MOVES && processesOf(from).length > 0; i++) {
		for (const pid of processesOf(from)) {
			// One that has ended meanwhile need not be moved.
			if (existsSync(`/proc/${pid}`)) writeFileSync(join(to, 'cgroup.procs'), String(pid))
		}
	}
}

/** Neither started this process nor were started by the one that did. */
function strangersIn(dir: string): number[] {
	const inside = processesOf(dir)
	const outermost = lineOf(process.pid).findLast((pid) => inside.includes(pid))
	return inside.filter((pid) => existsSync(`/proc/${pid}`) && !lineOf(pid).includes(outermost ?? 0))
}

function lineOf(pid: number): number[] {
	const line: number[] = []
	for (let at: number | undefined = pid; at; at = parentOf(at)) line.push(at)
	return line
}

function processesOf(dir: string): number[] {
	return read(join(dir, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
}

function has(dir: string, file: string): boolean {
	const named = read(join(dir, file)).trim().split(/\s+/)
	return CONTROLLERS.every((one) => named.includes(one))
}

function read(path: string): string {
	try {
		return readFileSync(path, 'utf8')
	} catch {
		return ''
	}
}
