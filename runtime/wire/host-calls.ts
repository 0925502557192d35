/** What the runtime asks of its host and tells it; the other direction is in runtime-calls.ts. */
import type { BudgetCalls } from './budgets.ts'
import type { ConnectorHostCalls } from './connectors.ts'
import type { FileHostCalls } from './files.ts'
import type { Entry, RunOutcome, Usage } from './journal.ts'

/** Calls the runtime makes; each is answered, and made twice comes to the same as made once. */
export interface HostCalls extends ConnectorHostCalls, BudgetCalls, FileHostCalls {
	'bundle.get': (a: { digest: string }) => Uint8Array
	/** Resolves when the entries are committed; rejects `fenced` where another host owns the run: stop it, send nothing. */
	'run.commit': (a: { run: string; epoch: number; entries: Entry[] }) => Record<string, never>
	'run.end': (a: {
		run: string
		epoch: number
		entries: Entry[]
		outcome: RunOutcome
		usage: Usage
	}) => Record<string, never>
	/** What was decided about `id`, an approval that the run has asked for; null where nobody has yet. */
	'approval.get': (a: { run: string; id: string }) => { decision: Decision | null }
	/** Files of the deployment's memory at a path and below it; all of them for an empty path. */
	'memory.list': (a: { deployment: string; path: string }) => { entries: MemoryEntry[] }
	'memory.read': (a: {
		deployment: string
		path: string
	}) => { content: string; version: number } | { refused: MemoryRefusal }
	/** One effect changes memory once: executed again, it is answered as the first time. Rejects `fenced`. */
	'memory.write': (
		a: MemoryChange & { content: string },
	) => { version: number; size: number } | { refused: MemoryRefusal }
	'memory.delete': (a: MemoryChange) => { version: number } | { refused: MemoryRefusal }
}

export interface Decision {
	approved: boolean
	note: string | null
	/** What a question is answered with; it fits the schema that came with the question. */
	content?: Record<string, unknown> | null
}

export interface MemoryEntry {
	path: string
	size: number
	/** Number of its last write among all of the deployment's: no file ever has a version twice. */
	version: number
}

export interface MemoryChange {
	deployment: string
	path: string
	/** The version the file must still have; 0: it must not be there. Undefined: whatever is there. */
	expected: number | undefined
	run: string
	epoch: number
	effect: number
}

/** For the program to see. */
export interface MemoryRefusal {
	code: 'conflict' | 'not_found' | 'invalid_request'
	message: string
}

/** One-way, runtime to host. */
export interface HostNotes {
	/** This sealing key does not open: its deployment cannot work, whatever its credentials are. */
	'sealing_key.unreadable': { deployment: string; kid: string; reason: string }
	/** What came of a use: a provider's 401, a refused refresh, or that it served. */
	'credential.state': {
		deployment: string
		name: string
		version: number
		state: 'ready' | 'rejected' | 'needs_sign_in'
		error: string | null
		/** The sign-in is good, but for what needs this: later uses that served do not make it whole. */
		missing_scope?: string
		/** A use that served counts from when it was begun, one that failed from when that was known. */
		used_at: number
	}
	/** At a stop: nothing of this run happens here any more, and all that did is committed or lost. */
	'run.left': { run: string; epoch: number }
	log: { level: 'debug' | 'info' | 'warn' | 'error'; message: string; data?: Record<string, unknown> }
}
