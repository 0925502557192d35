/**
 * The strongest way: namespaces of its own. The process sees a file system that holds nothing but Node, the system's
 * libraries and the sandbox's code, read-only; no network interface; no other process. Root makes these and then becomes
 * nobody; root that may not becomes nobody first and makes them in a user namespace, as does anyone else. In a user
 * namespace the rights over files are still that user's, which is why what is visible is a list and why it is read-only.
 */
import { dirname } from 'node:path'
import { codeDirs, NODE_LAYERS, nodeCommand } from './node.ts'
import { AS_OWN_USER, BEGIN, type Launcher, type LaunchOptions, LIMITS, POWERLESS } from './types.ts'
import { userLayer } from './uids.ts'

/** On every Linux, and needed for nothing in a sandbox: the new root is mounted over it. */
const MOUNT_POINT = '/sys'

/**
 * $1: where the new root is mounted; $2: what is hidden even where it lies inside something visible; $3: directories, one a
 * line, without their first slash; then the command. The root is entered by chroot: who has no privileges cannot leave it,
 * nor make a user namespace in it. Each program that runs here costs a millisecond of every sandbox's start: `mount` binds
 * and seals at once since 2.27 of util-linux, whose setpriv we need from 2.33 on.
 */
const NEW_ROOT = `set -ef
umask 022
IFS='
'
root=$1 hidden=$2 visible=$3; shift 3
sealed=ro,nosuid,nodev links= system=
mount -t tmpfs -o size=1m,mode=0755,nosuid,nodev berth "$root"
cd "$root"
for dir in usr bin sbin lib lib64 nix; do
	if [ -L /$dir ]; then links="$links$IFS/$dir"
	elif [ -d /$dir ]; then system="$system$IFS$dir"; fi
done
if [ -n "$links" ]; then cp -P $links .; fi
mkdir $system
for dir in $system; do mount -o rbind,$sealed "/$dir" "$dir"; done
mkdir -p $visible
for dir in $visible; do mount -o bind,$sealed "/$dir" "$dir"; done
if [ -d "$root$hidden" ]; then mount -t tmpfs -o size=4k,mode=0000 berth "$root$hidden"; fi
mount -o remount,bind,$sealed "$root"
exec chroot "$root" "$@"`

export type Way = 'root' | 'nobody' | 'user'

export function namespaces({ distDir, dataDir }: LaunchOptions, way: Way): Launcher {
	const own = way === 'root' ? [] : ['--user', '--map-root-user']
	const kinds = ['--mount', '--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child=KILL']
	const visible = [dirname(process.execPath), ...codeDirs(distDir)]
	return {
		name: `namespaces (${way})`,
		layers: namespaceLayers(way),
		file: 'sh',
		args: [
			...['-c', `${BEGIN}\nexec "$@"`, 'sh'],
			...['setpriv', ...(way === 'nobody' ? AS_OWN_USER : []), '--pdeathsig', 'KILL', 'prlimit', ...LIMITS],
			...['unshare', ...own, ...kinds],
			...['sh', '-c', NEW_ROOT, 'sh', MOUNT_POINT, dataDir, visible.map((dir) => dir.slice(1)).join('\n')],
			...['setpriv', ...(way === 'root' ? AS_OWN_USER : []), ...POWERLESS, '--bounding-set=-all'],
			...nodeCommand(distDir),
		],
		nested: 1,
	}
}

export function namespaceLayers(way: Way): string[] {
	return [
		...NODE_LAYERS,
		way === 'user' ? 'user namespace, no privileges' : `${userLayer()}, no privileges`,
		"mount namespace: Node, system libraries and the sandbox's code, read-only; nothing else exists",
		'network namespace without an interface',
		'process and IPC namespaces',
		'ends with the runtime',
	]
}
