/** The ways to start a sandbox process on this machine, the strongest first. */
import { bwrap } from './bwrap.ts'
import { namespaces, type Way } from './namespaces.ts'
import { asNobody, guarded, unprivileged } from './plain.ts'
import type { Launcher, LaunchOptions } from './types.ts'

export function launchers(options: LaunchOptions): Launcher[] {
	if (process.platform !== 'linux') return [guarded(options)]
	return process.getuid?.() === 0
		? [...ways(options, 'root'), ...ways(options, 'nobody'), asNobody(options), guarded(options)]
		: [...ways(options, 'user'), unprivileged(options), guarded(options)]
}

function ways(options: LaunchOptions, way: Way): Launcher[] {
	return [...bwrap(options, way), namespaces(options, way)]
}

export { SECCOMP_FD } from './bwrap.ts'
export { type Launcher, type LaunchOptions, UID } from './types.ts'
export { FIRST_UID, nextUid } from './uids.ts'
