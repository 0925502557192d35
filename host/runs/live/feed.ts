import type { Entry } from '../../../runtime/wire/journal.ts'
import type { Sql } from '../../db/index.ts'

/**
 * Who is told when a run goes on. On this host with the committed entries themselves; from another host by NOTIFY, which
 * is a hint to read the journal. A reader looks for itself every `lookMs` all the same, so nothing hangs on a hint.
 */
export interface Feed {
	/** `entries` null: something was committed elsewhere. */
	subscribe(run: string, listener: (entries: Entry[] | null) => void): () => void
	publish(run: string, entries: Entry[] | null): void
	/** Says something to the host that owns the run, whichever it is. */
	tell(verb: 'watch' | 'cancel' | 'entries' | 'joined', run: string, more?: string): Promise<void>
	/** Its caller has come back to another host, which cancels it if that caller leaves. */
	onJoined(listener: (run: string) => void): void
	joined(run: string): void
}

export const lookMs = 1000
export const channel = 'runs'

export function openFeed(sql: Sql): Feed {
	const listeners = new Map<string, Set<(entries: Entry[] | null) => void>>()
	let joined: (run: string) => void = () => undefined
	return {
		onJoined(listener) {
			joined = listener
		},
		joined: (run) => joined(run),
		subscribe(run, listener) {
			const set = listeners.get(run) ?? new Set()
			listeners.set(run, set.add(listener))
			return () => {
				set.delete(listener)
				if (set.size === 0 && listeners.get(run) === set) listeners.delete(run)
			}
		},
		publish(run, entries) {
			for (const listener of listeners.get(run) ?? []) listener(entries)
		},
		async tell(verb, run, more = '') {
			await sql`select pg_notify(${channel}, ${`${verb}:${run}:${more}`})`
		},
	}
}
