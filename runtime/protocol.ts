/**
 * What host and runtime say to each other. Both ends are ours and run on one machine, yet each message is one JSON
 * frame and nothing else crosses: no handle, no shared memory. Times are milliseconds since the epoch.
 */

import type { CheckedPrograms, Programs } from './programs/check.ts'
import type { BudgetCalls } from './protocol-budgets.ts'
import type { ConnectorHostCalls, ToolLocks, ToolOffer } from './protocol-connectors.ts'
import type { RuntimeInit } from './protocol-init.ts'
import type { ReplayCalls } from './protocol-replay.ts'
import type { PriceTable } from './providers/index.ts'

export type { RuntimeInit }

/** One line of a run's journal. The journal is the event log: what streams and webhooks show is read from it. */
export interface Entry {
	/** 1, 2, 3 … within the run, without gaps: the `id` of the event in a stream. */
	seq: number
	at: number
	type: EventType
	/** Number of the effect this entry belongs to, in the order the guest issued them. */
	effect?: number
	/** On the entry that opens an effect: `sha256:` digest of method and arguments, for replay. */
	digest?: string
	/** On the entry that ends an effect: the JSON text delivered to the guest. Never part of the shown event. */
	result?: string
	/** On the entry that ends an effect: false where the guest is to see a rejection (`result` is then the error). */
	ok?: boolean
	data: Record<string, unknown>
}

/** Contract 8. `effect.*` entries are journal only: they are needed for replay and never shown. */
export type EventType =
	| 'run.started'
	| 'model.started'
	| 'model.delta'
	| 'model.retrying'
	| 'model.completed'
	| 'tool.started'
	| 'tool.completed'
	| 'memory.changed'
	| 'log'
	| 'approval.requested'
	| 'approval.decided'
	| 'run.waiting'
	| 'budget.warning'
	| 'effect.started'
	| 'effect.completed'
	| TerminalEventType

export type TerminalEventType = 'run.completed' | 'run.failed' | 'run.cancelled'

/** Everything the runtime must know of a deployment; sent whole at every change, `rev` grows. */
export interface DeploymentState {
	id: string
	rev: number
	sealing: { kid: string; wrapped: string }
	credentials: SealedCredential[]
	/** Tool lock, by connector and the server's name of the tool: the digest of the definition that was locked. */
	locks?: ToolLocks
}

export interface SealedCredential {
	name: string
	/** Grows with every replacement; a connection and an effect belong to one version. */
	version: number
	jwe: string
	/** Its last use that the host knows of failed: the next that does not is told at once. */
	failing?: boolean
}

export interface RunBegin {
	run: string
	deployment: string
	/** SHA-256 of the bundle; the runtime asks `bundle.get` for one it does not hold. */
	digest: string
	version: number
	/** Fencing epoch: echoed with every commit, checked in the statement that writes. */
	epoch: number
	/** 1 for the first execution; grows with every take-over by a host. */
	attempt: number
	/** Digest of the prelude it began with, where it was begun before; else the current one is it. */
	prelude?: string
	/** Canonical JSON of the inputs. */
	inputs: string
	/** 32 hex digits: seeds the guest's random source, so that a replay draws the same numbers. */
	seed: string
	created_at: number
	/** Where a stream is already being read: model deltas are recorded and sent. */
	stream: boolean
	/** Committed entries of earlier attempts, in order; empty for a new run. */
	journal: Entry[]
	/** False: prepare the sandbox, but let no effect happen before `run.go` (the insert is still under way). */
	go: boolean
	/** A budget of its deployment or run key counts: every model call is reserved and settled. */
	budget?: boolean
}

export type RunErrorCode =
	| 'provider_auth_failed'
	| 'provider_rate_limited'
	| 'provider_unavailable'
	| 'connector_unavailable'
	| 'connector_not_connected'
	| 'credentials_missing'
	| 'tool_missing'
	| 'output_invalid'
	| 'time_limit_reached'
	| 'step_limit_reached'
	| 'token_limit_reached'
	| 'output_limit_reached'
	| 'memory_limit_reached'
	| 'cpu_limit_reached'
	| 'agent_error'
	| 'outcome_unknown'
	| 'replay_diverged'
	| 'cost_limit_reached'
	| 'budget_reached'
	| 'approval_denied'
	| 'platform_provider_refused'
	| 'cancelled'

export interface Usage {
	input_tokens: number
	cached_input_tokens: number
	output_tokens: number
	model_calls: number
	tool_calls: number
	/** Tool calls whose result is a failure. */
	failed_tool_calls: number
	/** Null: of one of its calls the price is not known. */
	usd: number | null
}

export type RunOutcome =
	| { status: 'succeeded'; output: string /* JSON text */ }
	| { status: 'failed'; error: { code: RunErrorCode; message: string } }
	| { status: 'cancelled'; error: { code: 'cancelled'; message: string } }

/** Calls the host makes; each is answered. */
export interface RuntimeCalls extends ReplayCalls {
	/**
	 * First call. `mayGenerate`: the database is empty, so a missing master key file is made (mode 0600).
	 * `check`: value that a key other than the database's cannot have. Rejects `master_key_missing`, `master_key_unusable`
	 * (others can read it, or it holds something else) or `start_failed`, each with what to do. `prelude`: digest of the code
	 * that every guest begins with.
	 */
	init: (a: RuntimeInit) => { check: string; layers: string[]; prelude: string }
	/** New X25519 sealing key, wrapped under the master key with deployment id and kid as associated data. */
	'sealing_key.create': (a: { deployment: string }) => {
		kid: string
		wrapped: string
		jwk: Record<string, string>
	}
	/** Opens the JWE and throws the plaintext away. Rejects `credential_rejected` with a reason fit for the owner. */
	'credential.check': (a: {
		deployment: string
		sealing: { kid: string; wrapped: string }
		name: string
		aud: string
		jwe: string
	}) => {
		kind: string
		/** What a sign-in was given, as `berth connect` sealed it. */
		scope: string | null
	}
	/** Asks the provider once whether it takes the key (contract 6). */
	'provider.probe': (a: { deployment: string; digest: string }) => {
		status: 'ok' | 'rejected' | 'unreachable'
		detail: string
	}
	/**
	 * Asks the connectors of a bundle that can be reached what they offer, afresh; a tool without a lock is locked by that
	 * (contract 8, tool lock).
	 */
	'tools.offered': (a: { deployment: string; digest: string }) => { offers: ToolOffer[] }
	/** Loads a bundle's programs without a run. Rejects `not_loaded` where they could not be judged. `owner`: whose turn it takes. */
	'programs.check': (a: { owner: string } & Programs) => CheckedPrograms
	/** Host-owned secrets (webhook, OAuth client, signing and cookie keys, answers that are repeated): encrypted under a subkey of `purpose`. */
	'secret.wrap': (a: { purpose: SecretPurpose; plaintext: string }) => { wrapped: string }
	/** Not for `webhook`: a webhook secret and a credential have no message that opens them. */
	'secret.unwrap': (a: { purpose: 'oauth' | 'answer'; wrapped: string }) => { plaintext: string }
	/** base64 HMAC-SHA256 of each text under the wrapped webhook secrets (Standard Webhooks `v1`). */
	'webhook.sign': (a: { wrapped: string[]; text: string }) => { signatures: string[] }
	/** Ends sandboxes and connections; runs still going are answered as `run.end` or left to the journal. */
	shutdown: (a: { graceMs: number }) => Record<string, never>
	stats: (a: Record<string, never>) => {
		runs: number
		sandboxes: { deployment: string | null; pid: number }[]
	}
}

export type SecretPurpose = 'webhook' | 'oauth' | 'answer'

/** One-way, host to runtime. */
export interface RuntimeNotes {
	'deployment.put': DeploymentState
	/** Stopped or deleted: kill its sandboxes, close its connections, forget its keys. */
	'deployment.drop': { deployment: string }
	'run.begin': RunBegin
	'run.go': { run: string }
	/** The insert did not happen: forget the run, send nothing. */
	'run.drop': { run: string }
	'run.cancel': { run: string; reason: string }
	/** A stream has begun to read: record and send model deltas from here on. */
	'run.watch': { run: string }
	/** A person has decided about something it asked for: it may ask `approval.get`. */
	'run.decided': { run: string }
	/** The operator's own prices, all of them, in place of those told before. */
	'prices.put': { prices: PriceTable }
	/** The time that all hosts share (clock.ts), and when it was that, by `machineMs`. */
	clock: { now: number; at: number }
}

/** Calls the runtime makes; each is answered, and made twice comes to the same as made once. */
export interface HostCalls extends ConnectorHostCalls, BudgetCalls {
	'bundle.get': (a: { digest: string }) => { base64: string }
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
	log: { level: 'debug' | 'info' | 'warn' | 'error'; message: string; data?: Record<string, unknown> }
}
