/**
 * With bubblewrap: the namespaces of namespaces.ts, and a filter of system calls, which no other tool loads without code of
 * our own. The root is a new one that is pivoted to, not a chroot.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { namespaceLayers, type Way } from './namespaces.ts'
import { codeDirs, nodeCommand } from './node.ts'
import { seccompProgram } from './seccomp.ts'
import { AS_OWN_USER, BEGIN, type Launcher, type LaunchOptions, LIMITS, POWERLESS } from './types.ts'

const SYSTEM_DIRS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix']
const AS_USER = ['bwrap', '--unshare-user', '--unshare-pid', '--as-pid-1']
/**
 * The part of bwrap that waits gives up what it needs to kill a process of another user as it dies. As the first process of
 * a namespace it need not: all others there end with it.
 */
const AS_ROOT = ['unshare', '--pid', '--fork', '--kill-child=KILL', 'bwrap']
/** Descriptor that the program is read from, to its end. */
export const SECCOMP_FD = 5

/** None where this machine's system calls are not known. */
export function bwrap(options: LaunchOptions, way: Way): Launcher[] {
	const seccomp = seccompProgram()
	if (!seccomp) return []
	const { distDir } = options
	return [
		{
			name: `bwrap (${way})`,
			layers: [...namespaceLayers(way), 'filter of system calls: no sockets, no processes'],
			file: 'sh',
			args: [
				...['-c', `${BEGIN}\nexec "$@"`, 'sh'],
				...['setpriv', ...(way === 'nobody' ? AS_OWN_USER : []), '--pdeathsig', 'KILL'],
				...['prlimit', ...LIMITS, ...(way === 'root' ? AS_ROOT : AS_USER)],
				...['--unshare-ipc', '--unshare-net', '--unshare-uts', '--die-with-parent'],
				...fileSystem(options),
				...['--seccomp', String(SECCOMP_FD), '--'],
				...['setpriv', ...(way === 'root' ? AS_OWN_USER : []), ...POWERLESS, '--bounding-set=-all'],
				...nodeCommand(distDir),
			],
			nested: way === 'root' ? 2 : 1,
			seccomp,
		},
	]
}

function fileSystem({ distDir, dataDir }: LaunchOptions): string[] {
	const visible = [dirname(process.execPath), ...codeDirs(distDir)]
	const hides = [...SYSTEM_DIRS, ...visible].some((dir) => `${dataDir}${sep}`.startsWith(`${dir}${sep}`))
	return [
		...SYSTEM_DIRS.filter((dir) => existsSync(dir)).flatMap((dir) =>
			lstatSync(dir).isSymbolicLink() ? ['--symlink', readlinkSync(dir), dir] : ['--ro-bind', dir, dir],
		),
		...parentsOf(visible).flatMap((dir) => ['--perms', '0755', '--dir', dir]),
		...visible.flatMap((dir) => ['--ro-bind', dir, dir]),
		...(hides ? ['--perms', '0000', '--size', '4096', '--tmpfs', dataDir, '--remount-ro', dataDir] : []),
		...['--remount-ro', '/'],
	]
}

/** The outermost first. Made by bwrap itself, they would be its own user's alone. */
function parentsOf(dirs: string[]): string[] {
	const parents = new Set<string>()
	for (const dir of dirs) for (let at = dirname(dir); at !== '/'; at = dirname(at)) parents.add(at)
	return Array.from(parents).sort()
}
