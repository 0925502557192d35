/** When a model call that failed in passing is made again: after growing waits, for as long as its agent says. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type OwnModel, RETRY_SECONDS } from '../../../bundles/index.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import { ConnectorError } from '../connectors/index.ts'
import type { Run } from './run.ts'

const FIRST_MS = 250
const LONGEST_MS = 8_000
/** Of a wait, added to it at random: runs that were refused together do not come back together. */
const JITTER = 0.25

export interface Retries {
	/** Milliseconds to wait; undefined: it is not made again. `asked`: the least its provider asks for. */
	next(asked: number | undefined): number | undefined
}

export interface RetriesOptions {
	/** From the first failure to the beginning of the last attempt. */
	budgetMs: number
	/** Of the run's own time. */
	leftMs(): number
	/** Milliseconds of a clock that nobody sets. */
	now(): number
	random(): number
}

export function createRetries({ budgetMs, leftMs, now, random }: RetriesOptions): Retries {
	let until: number | undefined
	let usual = FIRST_MS
	return {
		next(asked = 0) {
			const at = now()
			until ??= at + budgetMs
			const left = until - at
			if (left < FIRST_MS || asked > left) return undefined
			const wait = Math.min(Math.max(asked, usual) * (1 + JITTER * random()), left)
			usual = Math.min(usual * 2, LONGEST_MS)
			return wait < leftMs() ? wait : undefined
		},
	}
}

export function retriesOf(run: Run, { retry_seconds = RETRY_SECONDS }: OwnModel): Retries {
	return createRetries({
		budgetMs: retry_seconds * 1000,
		leftMs: () => run.deadline - run.services.now(),
		now: run.services.now,
		random: Math.random,
	})
}

/** Waits. False: nothing more is to be done here, for the run is over, or is left to whoever takes it over. */
export async function mayGoOn(run: Run, effect: Effect, waitMs: number): Promise<boolean> {
	await pause(run, waitMs)
	if (run.over) return false
	if (run.handedOver) run.running.delete(effect)
	return !run.handedOver
}

/** Until the run ends or is handed over, and not for longer. */
async function pause(run: Run, waitMs: number): Promise<void> {
	const wait = new AbortController()
	run.retrying.add(wait)
	const signal = AbortSignal.any([run.abort.signal, wait.signal])
	if (!run.handedOver) await sleep(waitMs, undefined, { signal }).catch(() => undefined)
	run.retrying.delete(wait)
}

const OWN_AGAIN_MS = 250

/**
 * Asks a connector. This very host, where it is one, takes no connections any more while it stops: the run then waits
 * until it is handed over, and whoever goes on with it asks its own host.
 */
export async function askedOfHost<T>(run: Run, url: string, ask: () => Promise<T>): Promise<T> {
	const { guardUrl, ownAgents } = run.services
	for (;;) {
		try {
			return await ask()
		} catch (error) {
			const own = url === guardUrl || ownAgents?.test(url) === true
			if (!own || !(error instanceof ConnectorError) || !error.away || run.over) throw error
			if (run.handedOver) throw error
			await pause(run, OWN_AGAIN_MS)
		}
	}
}
