/** The ways to start a sandbox process on this machine, the strongest first. */
import { namespaces } from './namespaces.ts'
import { asNobody, guarded, unprivileged } from './plain.ts'
import type { Launcher, LaunchOptions } from './types.ts'

export function launchers(options: LaunchOptions): Launcher[] {
	if (process.platform !== 'linux') return [guarded(options)]
	const root = process.getuid?.() === 0
	return [namespaces(options, root), root ? asNobody(options) : unprivileged(options), guarded(options)]
}

export type { Launcher, LaunchOptions } from './types.ts'
