import { availableParallelism } from 'node:os'
import { openPool, workerFile } from '../workers.ts'
import type { Asker, SchemaError } from './compile.ts'

/** CPU time of one validation; a pattern may need exponential time. */
const VALIDATION_MAX_MS = 250
/** Whose values take longer that often within the window is not heard before it is over. */
const TIMEOUTS_MAX = 3
const WINDOW_MS = 60_000
const CALLERS_MAX = 10_000

export interface Question {
	key: string
	schema: string
	value: unknown
}
export type CheckedValues = { errors: SchemaError[] } | { failed: string }

/** Of a process. Two at least, so that one deployment's slow values never hold up all others. */
const pool = openPool<Question, CheckedValues>({
	file: workerFile(import.meta.url, './worker.ts', 'schema-worker.mjs'),
	size: Math.min(Math.max(availableParallelism(), 2), 4),
	heapMb: 128,
	jobMs: VALIDATION_MAX_MS,
	lostMs: 10_000,
	perOwner: 256,
	waiting: 2000,
})
/** Ends the threads; a later validation starts others. */
export const closeSchemaWorkers = () => pool.close()

/** Callers whose values took too long, and how often; the oldest first. */
const slow = new Map<string, { count: number; until: number }>()

export async function validateRemotely(question: Question, asker: Asker): Promise<SchemaError[]> {
	const caller = asker.caller && `${asker.queue} ${asker.caller}`
	const seconds = secondsToWait(caller)
	if (seconds > 0) return tooSlow(seconds)
	const outcome = await pool.ask(question, {
		owner: asker.queue,
		still: () => secondsToWait(caller) === 0,
	})
	if ('answer' in outcome) {
		const { answer } = outcome
		return 'errors' in answer ? answer.errors : refusal(answer.failed)
	}
	switch (outcome.failed) {
		case 'busy':
			return refusal('waits behind too many others to be checked', { retry_seconds: 1 })
		case 'aborted':
			return tooSlow(secondsToWait(caller))
		case 'memory':
			return refusal('needs too much memory to check against its schema')
		case 'error':
			return refusal('could not be checked')
		case 'lost':
			return refusal('could not be checked', { retry_seconds: 5 })
		case 'time':
			noteSlow(caller)
			return refusal(`takes over ${VALIDATION_MAX_MS} ms of CPU time to check against its schema`, {
				timed_out: true,
			})
	}
}

function noteSlow(caller: string | undefined): void {
	if (!caller) return
	const now = Date.now()
	const before = slow.get(caller)
	if (before && before.until > now) before.count++
	else {
		slow.delete(caller)
		if (slow.size >= CALLERS_MAX) slow.delete(slow.keys().next().value as string)
		slow.set(caller, { count: 1, until: now + WINDOW_MS })
	}
}

function secondsToWait(caller: string | undefined): number {
	const found = caller && slow.get(caller)
	if (!found || found.count < TIMEOUTS_MAX) return 0
	return Math.max(Math.ceil((found.until - Date.now()) / 1000), 0)
}

const tooSlow = (seconds: number) =>
	refusal(`took over ${VALIDATION_MAX_MS} ms of CPU time to check against its schema ${TIMEOUTS_MAX} times`, {
		timed_out: true,
		retry_seconds: Math.max(seconds, 1),
	})

const refusal = (message: string, more: Partial<SchemaError> = {}): SchemaError[] => [
	{ path: '', message, ...more },
]
