/**
 * Runs that began under the previous release's guest program go on under it, in sandboxes of their own, which the first
 * such run opens. Only the program differs: how it is entered (runtime/sandbox/run.ts) and which effects it may ask for
 * (runtime/wire/effects.ts) hold for both.
 */
import type { Sandboxes, SandboxRun } from './types.ts'

/** `prelude`: digest of the previous guest program; null where there is none, or it is the current one. */
export function withPrevious(
	current: Sandboxes,
	prelude: string | null,
	open: () => Promise<Sandboxes>,
): Sandboxes {
	let opened: Promise<Sandboxes> | undefined
	let previous: Sandboxes | undefined
	const ready = () => {
		opened ??= open().then(
			(sandboxes) => {
				previous = sandboxes
				return sandboxes
			},
			(error) => {
				opened = undefined
				throw error
			},
		)
		return opened
	}
	return {
		start(job) {
			if (prelude === null || job.prelude !== prelude) return current.start(job)
			let run: SandboxRun | undefined
			let stopped = false
			ready().then(
				(sandboxes) => {
					if (!stopped) run = sandboxes.start(job)
				},
				(error: Error) => {
					if (!stopped)
						job.onEnd({ ok: false, code: 'sandbox_lost', message: error.message, blameless: false })
				},
			)
			return {
				deliver: (...args) => run?.deliver(...args),
				stop() {
					stopped = true
					run?.stop()
				},
			}
		},
		async drop(deployment) {
			await Promise.all([current.drop(deployment), previous?.drop(deployment)])
		},
		layers: () => current.layers(),
		stats: () => [...current.stats(), ...(previous?.stats() ?? [])],
		async close() {
			await Promise.all([
				current.close(),
				opened?.then((sandboxes) => sandboxes.close()).catch(() => undefined),
			])
		},
	}
}
