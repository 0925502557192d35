import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { url as inspectorUrl } from 'node:inspector'

const FIRST_FREE = 3
const CLOSE_ON_EXEC = 0o2000000
/** Of these Node itself keeps some: event loops, wake-ups, the terminal and /dev/null. */
const NODES_OWN = /^(anon_inode:|\/dev\/(null|tty|u?random|pts\/))/

/**
 * Closes what was open when this process was started, so that no file of whoever started it stays open here and in every
 * process below. Called before anything is opened. Linux alone says what is open.
 */
export function closeInherited(): void {
	// A debugger's sockets are Node's own and cannot be told from others.
	if (process.platform !== 'linux' || inspectorUrl() !== undefined) return
	const open = readdirSync('/proc/self/fd').map(Number).flatMap(describe)
	for (const { fd, target, staysHere } of open) {
		const pair = open.filter((other) => other.target === target).length > 1
		const own = staysHere && (NODES_OWN.test(target) || (target.startsWith('pipe:') && pair))
		if (fd >= FIRST_FREE && fd !== channelFd() && !own) closeSync(fd)
	}
}

/** Nothing for the descriptor that the listing itself was made with. */
function describe(fd: number): { fd: number; target: string; staysHere: boolean }[] {
	try {
		const target = readlinkSync(`/proc/self/fd/${fd}`)
		const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
		return [{ fd, target, staysHere: (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0 }]
	} catch {
		return []
	}
}

/** Of the pipe to the launcher. */
function channelFd(): number | undefined {
	return (process.channel as { fd?: number } | undefined)?.fd
}
