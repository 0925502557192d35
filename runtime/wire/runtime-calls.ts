/**
 * What host and runtime say to each other. Both ends are ours and run on one machine, yet each message is one JSON
 * frame and nothing else crosses: no handle, no shared memory. Times are milliseconds since the epoch.
 */

import type { PriceTable } from '../prices/index.ts'
import type { Allowance } from './agent-calls.ts'
import type { ToolLocks, ToolOffer } from './connectors.ts'
import type { RuntimeInit } from './init.ts'
import type { Entry } from './journal.ts'
import type { CheckedPrograms, Programs } from './programs.ts'
import type { ReplayCalls } from './replay.ts'

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
	/** Whose deployment it is: sandboxes of two accounts are apart. */
	account: string
	/** SHA-256 of the bundle; the runtime asks `bundle.get` for one it does not hold. */
	digest: string
	version: number
	/** Fencing epoch: echoed with every commit, checked in the statement that writes. */
	epoch: number
	/** 1 for the first execution; grows with every take-over by a host. */
	attempt: number
	/** Digest of the guest program it began with, where it was begun before; else the current one is it. */
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
	/** The model may be asked before `run.go`, if that is the first that the program asks for. */
	model_ahead?: boolean
	/** A budget of its deployment or run key counts: every model call is reserved and settled. */
	budget?: boolean
	/** How many agents stand above it; absent where a program or a person has begun it. */
	depth?: number
	/** What its caller, another agent's run, lets it use; absent where there is none, or it said nothing. */
	allowance?: Allowance
	/** Its span in the trace, as W3C Trace Context; absent where the host makes no traces. */
	traceparent?: string
}

/** Calls the host makes; each is answered. */
export interface RuntimeCalls extends ReplayCalls {
	/**
	 * First call. `mayGenerate`: the database is empty, so a missing master key file is made (mode 0600).
	 * `held`: check values, which tell keys apart and nothing else of them, the one in use first. Rejects `master_key_missing`, `master_key_unusable`
	 * (others can read it, or it holds something else) or `start_failed`, each with what to do. `prelude`: digest of the
	 * guest program.
	 */
	init: (a: RuntimeInit) => { held: string[]; layers: string[]; prelude: string }
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
	/** Asks the provider of a key once whether it takes it (spec provider.key-checked-at-start). */
	'provider.probe': (a: { deployment: string; digest: string; credential: string }) => {
		status: 'ok' | 'rejected' | 'unreachable'
		detail: string
	}
	/**
	 * Asks the connectors of a bundle that can be reached what they offer, afresh; a tool without a lock is locked by that
	 * (spec connector.lock).
	 */
	'tools.offered': (a: { deployment: string; digest: string }) => { offers: ToolOffer[] }
	/** Loads a bundle's programs without a run. Rejects `not_loaded` where they could not be judged. `owner`: whose turn it takes. */
	'programs.check': (a: { owner: string } & Programs) => CheckedPrograms
	/** Host-owned secrets (webhook, OAuth client, signing and cookie keys, answers that are repeated, sign-ins under way): encrypted under a subkey of `purpose`. */
	'secret.wrap': (a: { purpose: SecretPurpose; plaintext: string }) => { wrapped: string }
	/** Not for `webhook`: a webhook secret and a credential have no message that opens them. */
	'secret.unwrap': (a: { purpose: Exclude<SecretPurpose, 'webhook'>; wrapped: string }) => {
		plaintext: string
	}
	/** Encrypted anew under the key in use; null: it is so already, or it cannot be opened. */
	'secret.rewrap': (a: { items: RewrapItem[] }) => { wrapped: (string | null)[] }
	/** Reads the master key file again and uses the key of this check value, if it is there. `before`: the one so far. */
	'master_key.use': (a: { check: string }) => { held: string[]; before: string }
	/** base64 HMAC-SHA256 of each text under the wrapped webhook secrets (Standard Webhooks `v1`). */
	'webhook.sign': (a: { wrapped: string[]; text: string }) => { signatures: string[] }
	/**
	 * Ends sandboxes and connections. Runs still going are answered as `run.end` or left to the journal, each with
	 * `run.left` as soon as nothing of it is under way; calls of tools get `toolsMs` for that.
	 */
	shutdown: (a: { graceMs: number; toolsMs: number }) => Record<string, never>
	stats: (a: Record<string, never>) => {
		runs: number
		sandboxes: { deployment: string | null; pid: number }[]
	}
}

export interface RewrapItem {
	purpose: SecretPurpose | 'sealing'
	wrapped: string
	/** Of a sealing key: deployment and kid. */
	belongs_to: string[]
}

export type SecretPurpose = 'webhook' | 'oauth' | 'answer' | 'sign_in'

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
