/**
 * A run's journal as it is written. Entries wait here and go out together: at a barrier (awaited before an effect that
 * must not happen twice), a little later without anyone waiting, or with the end of the run. One commit is under way at
 * a time, so they arrive in order.
 */

import { untilDone } from '../../lib/retry.ts'
import type { HostCalls, HostNotes } from '../../wire/host-calls.ts'
import type { Entry, RunOutcome, Usage } from '../../wire/journal.ts'
import type { Peer } from '../../wire/peer.ts'
import { RunAbandoned } from './failure.ts'

/** So long may an entry wait that nothing depends on. While somebody reads the stream, every tick of the engine commits. */
const LAZY_MS = 250
/** What goes out at once, roughly: one frame must hold it. */
const BATCH_MAX_CHARS = 8 * 1024 * 1024
const ENTRY_CHARS = 1024
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
	flushIfDue(watched: boolean): void
	/** Writes what is left, the last entries and the outcome together. Rejects `RunAbandoned`. */
	end(last: NewEntry[], outcome: RunOutcome, usage: Usage): Promise<void>
}

export interface RecorderOptions {
	host: HostLink
	run: string
	epoch: number
	/** Of the last entry that is committed already. */
	lastSeq: number
	/** Never goes back. */
	at(): number
	onAbandoned(error: RunAbandoned): void
}

export function createRecorder({ host, run, epoch, lastSeq, at, onAbandoned }: RecorderOptions): Recorder {
	let seq = lastSeq
	let waiting: Entry[] = []
	let since = 0
	let draining: Promise<void> | undefined
	/** Up to this entry somebody asked for a commit. What comes while one is under way waits like any other. */
	let wanted = lastSeq

	const write = async (ask: () => Promise<unknown>) => {
		try {
			await untilDone(ask)
		} catch (cause) {
			throw new RunAbandoned(`the journal cannot be written: ${(cause as Error).message}`, { cause })
		}
	}
	const drain = async () => {
		try {
			while (waiting[0] && waiting[0].seq <= wanted) {
				const entries = batchOf(waiting)
				waiting = waiting.slice(entries.length)
				await write(() => host.call('run.commit', { run, epoch, entries }, { timeoutMs: ANSWER_MS }))
			}
		} finally {
			draining = undefined
		}
	}
	const barrier = () => {
		if (waiting.length === 0 && !draining) return Promise.resolve()
		wanted = seq
		draining ??= drain()
		return draining
	}
	const flush = () => void barrier().catch(onAbandoned)

	const append = (entry: NewEntry) => {
		const full: Entry = { seq: ++seq, at: at(), ...entry }
		if (waiting.push(full) === 1) since = full.at
		return full
	}

	return {
		append,
		barrier,
		flush,
		flushIfDue(watched) {
			if (waiting.length > 0 && !draining && (watched || at() - since >= LAZY_MS)) flush()
		},
		async end(last, outcome, usage) {
			await draining
			if (batchOf(waiting).length < waiting.length) await barrier()
			for (const entry of last) append(entry)
			const entries = waiting
			waiting = []
			await write(() =>
				host.call('run.end', { run, epoch, entries, outcome, usage }, { timeoutMs: ANSWER_MS }),
			)
		},
	}
}

/** The first entries, as many as fit. */
function batchOf(entries: Entry[]): Entry[] {
	let chars = 0
	const over = entries.findIndex(({ result }, i) => {
		chars += ENTRY_CHARS + (result?.length ?? 0)
		return i > 0 && chars > BATCH_MAX_CHARS
	})
	return over === -1 ? entries : entries.slice(0, over)
}
