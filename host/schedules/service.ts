import { claimSchedules, type DueSchedule, fireSchedule } from './fire.ts'
import type { FiringParts } from './parts.ts'

export interface Schedules {
	start(): void
	/** Begins nothing more, and waits for what is being begun. */
	stop(): Promise<void>
}

const sweepMs = 1000
const claimedAtOnce = 50

/** Any host of a deployment's place fires what is due; the table says what that is, so none of them need remember anything. */
export function openSchedules(parts: FiringParts): Schedules {
	let timer: NodeJS.Timeout | undefined
	let sweeping: Promise<void> | null = null

	async function fire(due: DueSchedule): Promise<void> {
		try {
			await fireSchedule(parts, due)
		} catch (error) {
			// Its lease runs out, and it is fired again.
			parts.log.error({ err: error, schedule: due.id }, 'a schedule was not fired')
		}
	}
	async function sweep(): Promise<void> {
		for (;;) {
			if (parts.signal.aborted) return
			const due = await claimSchedules(parts.sql, parts.config.PLACE, claimedAtOnce)
			await Promise.all(due.map(fire))
			if (due.length < claimedAtOnce) return
		}
	}
	const wake = () => {
		sweeping ??= sweep()
			.catch((error) => parts.log.error({ err: error }, 'due schedules could not be read; it is tried again'))
			.finally(() => {
				sweeping = null
			})
	}
	return {
		start() {
			timer = setInterval(wake, sweepMs)
			wake()
		},
		async stop() {
			clearInterval(timer)
			await sweeping
		},
	}
}
