/**
 * Runs begun under the prelude of the release before go on under it, in sandboxes of their own that are opened for the first
 * of them. Its code is what differs: how it is entered (child/run.ts) and what it may ask for (effects.ts) hold for both.
 */
import type { Sandboxes, SandboxRun } from './types.ts'

/** `prelude`: its digest; null where there is none, or it is the current one. */
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
