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
	for (const pid of tree(root)) ticks += stat(pid)?.ticks ?? 0
	return ticks / TICKS_PER_SECOND
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

function stat(pid: number): { parent: number; ticks: number } | undefined {
	try {
		const line = readFileSync(`/proc/${pid}/stat`, 'latin1')
		// The name may hold spaces and brackets: the fields begin after its last one. proc(5).
		const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
		const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0)
		return { parent: Number(fields[1]), ticks }
	} catch {
		return undefined
	}
}
