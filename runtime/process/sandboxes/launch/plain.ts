/** Without namespaces, which containers often bar: what is left is no environment, no privileges, and Node's own model. */
import { NODE_LAYERS, nodeCommand } from './node.ts'
import { AS_OWN_USER, BEGIN, type Launcher, type LaunchOptions, LIMITS, POWERLESS } from './types.ts'
import { userLayer } from './uids.ts'

const LACKING = 'NOT its own file system, network and process list: this machine allows no namespaces'
const SAME_USER = 'NOT a user of its own'

const THEN = ['-c', `${BEGIN}\nexec "$@"`, 'sh', 'prlimit', ...LIMITS, 'setpriv', ...POWERLESS]

export function asNobody({ distDir }: LaunchOptions): Launcher {
	return {
		name: 'nobody',
		layers: [...NODE_LAYERS, `${userLayer()}, no privileges`, 'ends with the runtime', LACKING],
		file: 'sh',
		args: [...THEN, ...AS_OWN_USER, '--bounding-set=-all', ...nodeCommand(distDir)],
		nested: 0,
	}
}

export function unprivileged({ distDir }: LaunchOptions): Launcher {
	return {
		name: 'unprivileged',
		layers: [...NODE_LAYERS, 'ends with the runtime', LACKING, SAME_USER],
		file: 'sh',
		args: [...THEN, ...nodeCommand(distDir)],
		nested: 0,
	}
}

/** `cat` ends when the runtime's end of standard input closes, and takes the sandbox with it, even in a native loop. */
const GUARD = `exec 5<&0
ulimit -c 0
${BEGIN}
"$@" </dev/null 5<&- & child=$!
(exec 3<&- 4<&-; cat <&5 >/dev/null; kill -9 $child) & guard=$!
wait $child; code=$?
kill $guard
exit $code`

/** Any Unix, with nothing but a shell. */
export function guarded({ distDir }: LaunchOptions): Launcher {
	return {
		name: 'guarded',
		layers: [...NODE_LAYERS, 'ends with the runtime', LACKING, SAME_USER],
		file: 'sh',
		args: ['-c', GUARD, 'sh', ...nodeCommand(distDir)],
		nested: 1,
		guardPipe: true,
	}
}
