import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import type { Config } from '../settings/config.ts'

/** What a stop may take beyond SHUTDOWN_SECONDS and STOP_GRACE_SECONDS before it is forced. */
const graceMs = 20_000
/** One request to stop may come several times: from a terminal or a supervisor, from npm and from the launcher. */
const sameRequestMs = 1000

export interface Stop {
	/** Silent until the settings are read. */
	log: FastifyBaseLogger
	/** What was started last is stopped first. `code`: that the process is to end with. */
	add(name: string, stop: (code: number) => Promise<unknown>): void
	/** Ends everything, once, then the process. */
	run(code: number): Promise<void>
	/** Whether it has begun. */
	asked(): boolean
	/** Something without which the host cannot go on is lost. */
	fail(error: Error): void
}

export function stops(): Stop {
	const steps: { name: string; stop: (code: number) => Promise<unknown> }[] = []
	let running: Promise<void> | null = null

	async function all(code: number): Promise<void> {
		for (let step = steps.pop(); step; step = steps.pop()) {
			try {
				await step.stop(code)
				self.log.debug({ step: step.name }, 'stopped')
			} catch (error) {
				self.log.error({ err: error, step: step.name }, 'a step of the stop failed')
			}
		}
		self.log.info('Berth has stopped')
		process.exit(code)
	}
	const run: Stop['run'] = (code) => {
		running ??= all(code)
		return running
	}
	const self: Stop = {
		log: pino({ level: 'silent' }),
		add: (name, stop) => void steps.push({ name, stop }),
		run,
		asked: () => running !== null,
		fail: (error) => {
			self.log.fatal({ err: error }, 'Berth cannot go on')
			void run(1)
		},
	}
	return self
}

/** SIGTERM and SIGINT stop in order, within a bound; one that follows later ends at once. What is unfinished is in the journal. */
export function stopOnSignal({ run, log }: Stop, { SHUTDOWN_SECONDS, STOP_GRACE_SECONDS }: Config): void {
	// The launcher was killed without a word (SIGKILL), which was meant for the host, too.
	process.once('disconnect', () => process.exit(1))
	let askedAt: number | undefined
	for (const signal of ['SIGTERM', 'SIGINT'] as const) {
		process.on(signal, () => {
			if (askedAt !== undefined) {
				if (performance.now() - askedAt > sameRequestMs) process.exit(1)
				return
			}
			askedAt = performance.now()
			log.info(
				{ signal, shutdown_seconds: SHUTDOWN_SECONDS, stop_grace_seconds: STOP_GRACE_SECONDS },
				'Berth stops',
			)
			setTimeout(
				() => {
					log.error('the stop took too long; it is forced')
					process.exit(1)
				},
				(SHUTDOWN_SECONDS + STOP_GRACE_SECONDS) * 1000 + graceMs,
			).unref()
			void run(0)
		})
	}
}
