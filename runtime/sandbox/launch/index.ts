/** The ways to start a sandbox process on this machine, the strongest first. */
import { namespaces } from './namespaces.ts'
import { asNobody, guarded, unprivileged } from './plain.ts'
import type { Launcher, LaunchOptions } from './types.ts'

export function launchers(options: LaunchOptions): Launcher[] {
	if (process.platform !== 'linux') return [guarded(options)]
	return process.getuid?.() === 0
		? [namespaces(options, 'root'), namespaces(options, 'nobody'), asNobody(options), guarded(options)]
		: [namespaces(options, 'user'), unprivileged(options), guarded(options)]
}

export type { Launcher, LaunchOptions } from './types.ts'
