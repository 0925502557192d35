/** What a process uses, as the kernel says. Nothing where there is no /proc. */
import { readFileSync } from 'node:fs'

const BYTES_PER_KB = 1024
const TICK_MS = 10

export function residentBytes(pid: number): number | undefined {
	const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]
	return kilobytes === undefined ? undefined : Number(kilobytes) * BYTES_PER_KB
}

/** User and system time in milliseconds, in steps of 10. */
export function cpuMs(pid: number): number | undefined {
	const stat = read(`/proc/${pid}/stat`)
	if (stat === undefined) return undefined
	const fields = fieldsOf(stat)
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

export function parentOf(pid: number): number | undefined {
	const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]
	return parent === undefined ? undefined : Number(parent)
}

/** When it was started, in ticks since the machine was: with its number, it names a process for good. */
export function startOf(pid: number): number | undefined {
	const stat = read(`/proc/${pid}/stat`)
	return stat === undefined ? undefined : Number(fieldsOf(stat)[19])
}

/** The one child of a process that waits for it. */
export function childOf(pid: number): number | undefined {
	const children = read(`/proc/${pid}/task/${pid}/children`)?.trim().split(' ')
	return children?.[0] ? Number(children[0]) : undefined
}

/** From the third on: the second is a name in parentheses and may hold anything. */
function fieldsOf(stat: string): string[] {
	return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function read(path: string): string | undefined {
	try {
		return readFileSync(path, 'latin1')
	} catch {
		return undefined
	}
}
