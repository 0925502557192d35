/** A core dump would hold keys: this process makes none, and neither does any that it starts. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const ANOTHER_GROUP = 65_534

/** Answers what to do where dumps are still allowed. */
export function forbidCoreDumps(): string | undefined {
	if (process.platform !== 'linux')
		return 'Core dumps cannot be forbidden on this system: run `ulimit -c 0` first.'
	if (!isForbidden()) spawnSync('prlimit', ['--pid', String(process.pid), '--core=0:0'], { stdio: 'ignore' })
	beUndumpable()
	if (isForbidden()) return undefined
	return 'Core dumps are allowed and would hold keys: install util-linux (prlimit), or run `ulimit -c 0` first.'
}

/** Soft and hard: nothing raises it again. */
function isForbidden(): boolean {
	return /^Max core file size\s+0\s+0\s/m.test(readFileSync('/proc/self/limits', 'utf8'))
}

/**
 * The limit does not bind a dump that goes to a program. The kernel makes undumpable what changes its group, and leaves it
 * so when the group is changed back; a change of group needs root.
 */
function beUndumpable(): void {
	const own = process.getegid?.()
	if (own === undefined || process.geteuid?.() !== 0) return
	try {
		process.setegid?.(ANOTHER_GROUP)
		process.setegid?.(own)
	} catch {
		// Root that may not: the limit is what holds.
	}
}
