/** A way to start a sandbox process. */
export interface Launcher {
	name: string
	/** What holds with it, in words for the operator. */
	layers: string[]
	file: string
	/** `UID` in them stands for the user of the one process. */
	args: string[]
	/** How many processes wait above the sandbox: the one that `file` becomes, and such children of it. */
	nested: number
	/** Given as descriptor 5, to be read to its end. */
	seccomp?: Buffer
	/** Standard input is a pipe that closes when the runtime is gone. */
	guardPipe?: true
}

export interface LaunchOptions {
	/** Where sandbox.mjs and prelude.js lie. */
	distDir: string
	/** Master key, database socket: never visible in a sandbox. */
	dataDir: string
}

/** Nobody, on every Unix: for machines that have no user for each sandbox. */
export const NOBODY = '65534'

/**
 * When the machine runs out of memory, these go first. Raising it needs no privilege. In the shell that becomes the
 * sandbox: in a subshell, /proc/self is the subshell.
 */
const EXPENDABLE = '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null || true'
/** Of version 1 there are two. A process that does not get into its cgroup is not started. */
const JOIN = `for dir in "$CGROUP" "$CGROUP_OF_PIDS"; do
	[ -z "$dir" ] || echo 0 > "$dir/cgroup.procs" || exit 1
done`
/** First, by whoever starts it: what a sandbox becomes may neither. */
export const BEGIN = `${EXPENDABLE}\n${JOIN}`

const MAX_OPEN_FILES = 64
/** The note of whose turn it is needs four. */
const MAX_FILE_BYTES = 4096

/**
 * No bound on the data segment: V8 reserves 525 MiB of writable addresses for each isolate, so one that admits a hundred
 * isolates bounds nothing. Memory is watched from outside (watch.ts).
 */
export const LIMITS = ['--core=0', `--nofile=${MAX_OPEN_FILES}`, `--fsize=${MAX_FILE_BYTES}`]

export const POWERLESS = ['--inh-caps=-all', '--no-new-privs', '--pdeathsig', 'KILL']
export const UID = '%uid%'
export const AS_OWN_USER = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups']
