import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts process times in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100

/** A process and everything below it, as the kernel lists them now. */
export function tree(root: number): number[] {
	const children = new Map<number, number[]>()
	for (const name of readdirSync('/proc')) {
		const pid = Number(name)
		const parent = pid ? stat(pid)?.parent : undefined
		if (parent === undefined) continue
		children.set(parent, [...(children.get(parent) ?? []), pid])
	}
	const all: number[] = []
	const walk = (pid: number) => {
		all.push(pid)
		for (const child of children.get(pid) ?? []) walk(child)
	}
	walk(root)
	return all
}

/** CPU seconds, user and system, of a process tree, ended and reaped children included. */
export function cpuSeconds(root: number): number {
	let ticks = 0
	for (const pid of tree(root)) {
		const { own = 0, ended = 0 } = stat(pid) ?? {}
		ticks += own + ended
	}
	return ticks / TICKS_PER_SECOND
}

export type Part = 'host' | 'runtime' | 'sandboxes' | 'database'

/** Which of a host's processes one is: the host itself is the root of the tree. */
export function partOf(pid: number, root: number): Part {
	if (pid === root) return 'host'
	const command = commandLine(pid)
	if (command.includes('runtime.mjs')) return 'runtime'
	return command.includes('postgres') ? 'database' : 'sandboxes'
}

/** CPU seconds by part. Children that have ended count for the part they belonged to. */
export function cpuByPart(root: number): Record<Part, number> {
	const parts: Record<Part, number> = { host: 0, runtime: 0, sandboxes: 0, database: 0 }
	for (const pid of tree(root)) {
		const part = partOf(pid, root)
		const { own = 0, ended = 0 } = stat(pid) ?? {}
		parts[part] += own / TICKS_PER_SECOND
		parts[part === 'runtime' ? 'sandboxes' : part] += ended / TICKS_PER_SECOND
	}
	return parts
}

/** Proportional set size by part, in bytes. */
export function memoryByPart(root: number): Record<Part, number> {
	const parts: Record<Part, number> = { host: 0, runtime: 0, sandboxes: 0, database: 0 }
	for (const pid of tree(root)) parts[partOf(pid, root)] += pss(pid)
	return parts
}

/** Proportional set size of each process of a tree, summed, in bytes: shared pages are counted once. */
export function memoryBytes(root: number): number {
	let bytes = 0
	for (const pid of tree(root)) bytes += pss(pid)
	return bytes
}

export function pss(pid: number): number {
	try {
		const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))
		return Number(line?.[1] ?? 0) * 1024
	} catch {
		return 0 // gone since it was listed
	}
}

/** What a process holds of its own, in bytes: shared pages by its share, and no page of a file. */
export function anonymous(pid: number): number {
	try {
		const line = /^Pss_Anon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))
		return Number(line?.[1] ?? 0) * 1024
	} catch {
		return 0 // gone since it was listed
	}
}

/** Empty where it is gone. */
export function commandLine(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
	} catch {
		return ''
	}
}

/** Ticks of its own, and of children that have ended and were reaped. */
function stat(pid: number): { parent: number; own: number; ended: number } | undefined {
	try {
		const line = readFileSync(`/proc/${pid}/stat`, 'latin1')
		// The name may hold spaces and brackets: the fields begin after its last one. proc(5).
		const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
		const sum = (a: number, b: number) => Number(fields[a]) + Number(fields[b])
		return { parent: Number(fields[1]), own: sum(11, 12), ended: sum(13, 14) }
	} catch {
		return undefined
	}
}
