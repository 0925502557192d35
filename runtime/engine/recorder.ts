/**
 * A run's journal as it is written. Entries wait here and go out together: at a barrier (awaited before an effect that
 * must not happen twice), a little later without anyone waiting, or with the end of the run. One commit is under way at
 * a time, so they arrive in order.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Peer } from '../peer.ts'
import type { Entry, HostCalls, HostNotes, RunOutcome, Usage } from '../protocol.ts'
import { RunAbandoned } from './failure.ts'

/** So long may an entry wait that nothing depends on. While somebody reads the stream, every tick of the engine commits. */
const LAZY_MS = 250
const RETRY_FIRST_MS = 100
const RETRY_MAX_MS = 5_000
/** A journal that cannot be written for so long is left to whoever takes the run over. */
const GIVE_UP_MS = 120_000
const ANSWER_MS = 30_000

/** The host's end, as far as the journal and bundles need it. */
export type HostLink = Pick<Peer<HostCalls, HostNotes>, 'call'>

export type NewEntry = Omit<Entry, 'seq' | 'at'>

export interface Recorder {
	append(entry: NewEntry): Entry
	/** Resolves when everything appended so far is committed. Rejects `RunAbandoned`. */
	barrier(): Promise<void>
	/** Starts a commit of what waits; a failure is told through `onAbandoned`. */
	flush(): void
	/** `watched`: somebody reads the stream. */
	flushIfDue(now: number, watched: boolean): void
	/** Writes what is left, together with the outcome. Rejects `RunAbandoned`. */
	end(outcome: RunOutcome, usage: Usage): Promise<void>
}

export interface RecorderOptions {
	host: HostLink
	run: string
	epoch: number
	/** The last entry that is committed already. */
	last: Pick<Entry, 'seq' | 'at'> | undefined
	now(): number
	onAbandoned(error: RunAbandoned): void
}

export function createRecorder({ host, run, epoch, last, now, onAbandoned }: RecorderOptions): Recorder {
	let seq = last?.seq ?? 0
	let at = last?.at ?? 0
	let waiting: Entry[] = []
	let since = 0
	let draining: Promise<void> | undefined

	const drain = async () => {
		try {
			while (waiting.length > 0) {
				const entries = waiting
				waiting = []
				await persist(() => host.call('run.commit', { run, epoch, entries }, { timeoutMs: ANSWER_MS }))
			}
		} finally {
			draining = undefined
		}
	}
	const barrier = () => {
		if (waiting.length === 0 && !draining) return Promise.resolve()
		draining ??= drain()
		return draining
	}
	const flush = () => void barrier().catch(onAbandoned)

	return {
		append(entry) {
			at = Math.max(at, now())
			const full: Entry = { seq: ++seq, at, ...entry }
			if (waiting.push(full) === 1) since = at
			return full
		},
		barrier,
		flush,
		flushIfDue(time, watched) {
			if (waiting.length > 0 && !draining && (watched || time - since >= LAZY_MS)) flush()
		},
		async end(outcome, usage) {
			await draining
			const entries = waiting
			waiting = []
			await persist(() =>
				host.call('run.end', { run, epoch, entries, outcome, usage }, { timeoutMs: ANSWER_MS }),
			)
		},
	}
}

/** A commit whose answer was lost is sent again: the host takes the same entries twice as once. */
async function persist(write: () => Promise<unknown>): Promise<void> {
	const giveUpAt = performance.now() + GIVE_UP_MS
	for (let wait = RETRY_FIRST_MS; ; wait = Math.min(wait * 2, RETRY_MAX_MS)) {
		try {
			await write()
			return
		} catch (cause) {
			const code = (cause as { code?: unknown }).code
			if (code === 'fenced') throw new RunAbandoned('another host owns the run', { cause })
			if (code === 'closed') throw new RunAbandoned('the host is gone', { cause })
			if (performance.now() + wait > giveUpAt)
				throw new RunAbandoned('the journal cannot be written', { cause })
		}
		await sleep(wait)
	}
}
