import type { Attempts, Layer } from '../../../wire/layers.ts'
/** The layers around a sandbox process that a machine may lack: how each shows, and what to do where it is missing. */

import { FIRST_UID } from '../launch/index.ts'

/** Of the same process as the kernel tells from outside. */
export interface Seen {
	uid: number
	capabilities: boolean
	noNewPrivileges: boolean
	/** Descriptors that it was started with, without those every sandbox is given. */
	inherited: string[]
	/** A filter of system calls is loaded. */
	filtered: boolean
	/** It lives in a pid namespace of its own, below that of the doctor. */
	ownNumbers: boolean
	coreDumps: boolean
	oomScore: number
	/** Its cgroup killed it when it took more memory than it may. */
	bounded: boolean
	/** Not of it, but of the runtime above. */
	few: boolean
}

interface Check {
	what: string
	remedy: string
	holds(attempts: Attempts, seen: Seen): boolean
}

const NAMESPACES =
	'Allow namespaces. In a container: --security-opt seccomp=unconfined, or a profile that allows unshare and mount. On Ubuntu, as another user than root: sysctl kernel.apparmor_restrict_unprivileged_userns=0.'
const UTIL_LINUX = 'Install util-linux (setpriv, prlimit, unshare).'

export const layers: Record<Layer, Check> = {
	user: {
		what: 'a user that no other process has',
		remedy: `Start the host as root, in a user namespace (if any) that has the users from ${FIRST_UID} on.`,
		holds: ({ becomesRoot }, { uid }) => uid >= FIRST_UID && becomesRoot === 'EPERM',
	},
	privileges: {
		what: 'no capabilities, and no way to get any',
		remedy: UTIL_LINUX,
		holds: ({ mounts, unshares }, { capabilities, noNewPrivileges }) =>
			!capabilities && noNewPrivileges && mounts !== 'done' && unshares !== 'done',
	},
	files: {
		what: 'no files but Node, system libraries and the sandbox’s code',
		remedy: NAMESPACES,
		holds: ({ readsEtc, readsProc, writes }) =>
			readsEtc === 'ENOENT' && readsProc === 'ENOENT' && writes === 'EROFS',
	},
	network: {
		what: 'no network interface',
		remedy: NAMESPACES,
		holds: ({ interfaces, connects }) => interfaces !== 'done' && connects !== 'done',
	},
	processes: {
		what: 'no other process to signal or trace',
		remedy: NAMESPACES,
		// In a container the doctor's own number is small, and may be that of a thread of the probe.
		holds: ({ signals }, { ownNumbers }) => signals === 'ESRCH' || ownNumbers,
	},
	seccomp: {
		what: 'no system calls but those that Node needs: no sockets, no processes',
		remedy: `Install bubblewrap (bwrap). ${NAMESPACES}`,
		holds: ({ connects, unshares }, { filtered }) =>
			filtered && connects === 'ENOSYS' && unshares === 'ENOSYS',
	},
	descriptors: {
		what: 'no file left open by whoever started the host',
		remedy: 'Mount /proc, by which the host finds and closes them.',
		holds: (_, { inherited }) => inherited.length === 0,
	},
	dumps: {
		what: 'no core dumps',
		remedy: `${UTIL_LINUX} Or run \`ulimit -c 0\` before the host.`,
		holds: (_, { coreDumps }) => !coreDumps,
	},
	memory: {
		what: 'ends before other processes when the machine runs out of memory',
		remedy: 'Mount /proc so that oom_score_adj can be written.',
		holds: (_, { oomScore }) => oomScore === 1000,
	},
	cgroup: {
		what: 'bounds of memory and threads for each process, which the kernel keeps',
		remedy:
			'Let the host write its cgroup. With systemd: Delegate=yes in the unit. In a container: mount /sys/fs/cgroup writable. Version 1: as root.',
		holds: (_, { bounded }) => bounded,
	},
	capabilities: {
		what: 'a runtime without the capabilities of root that it does not use',
		remedy: `${UTIL_LINUX} The process that starts the host must have SETPCAP, or not be root.`,
		holds: (_, { few }) => few,
	},
}
