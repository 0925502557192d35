import { spawnSync } from 'node:child_process'

/**
 * Of root's capabilities (capabilities(7)), what the runtime is started with: those by which a sandbox gets its namespaces
 * and loses all of them. `net_admin`: bwrap starts the loopback of a network that it then hides. `dac_override`: the topmost cgroup
 * is writable to nobody by its mode, and Berth may be installed in a folder of another user. `kill`: a sandbox has a user of its own.
 */
const KEPT = ['sys_admin', 'sys_chroot', 'net_admin', 'setuid', 'setgid', 'setpcap', 'kill', 'dac_override']
/** To see what a sandbox has open. */
const TO_LOOK = 'sys_ptrace'
/** Bits of linux/capability.h: chown, fowner, net_raw, sys_module, sys_rawio, sys_time. */
const UNUSED = [0, 3, 13, 16, 17, 25].reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n)

/** The command, started with no more than that where this process is root and util-linux is there. */
export function withFewCapabilities(command: string[], { look = false }): string[] {
	if (process.platform !== 'linux' || process.getuid?.() !== 0) return command
	const kept = [...KEPT, ...(look ? [TO_LOOK] : [])].map((one) => `+${one}`)
	const drop = ['setpriv', '--inh-caps=-all', `--bounding-set=-all,${kept.join()}`]
	const [file = '', ...args] = drop
	// Found without PATH, as the runtime has none.
	const works = spawnSync(file, [...args, 'true'], { env: {}, stdio: 'ignore' }).status === 0
	return works ? [...drop, ...command] : command
}

/** Tried: of those that containers give root, too, none is left. */
export function dropsCapabilities(): boolean {
	const [file = '', ...args] = withFewCapabilities(['cat', '/proc/self/status'], {})
	const { stdout } = spawnSync(file, args, { encoding: 'latin1' })
	const effective = /^CapEff:\s+([0-9a-f]+)$/m.exec(stdout ?? '')?.[1]
	return effective !== undefined && (BigInt(`0x${effective}`) & UNUSED) === 0n
}
