import type { Allowance } from '../../wire/agent-calls.ts'
import type { InFlight } from '../../wire/in-flight.ts'
import type { RunOutcome, Usage } from '../../wire/journal.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import type { RunBegin } from '../../wire/runtime-calls.ts'
import type { ModelUsage } from '../../wire/usage.ts'
import type { Scrubber } from '../providers/index.ts'
import type { SandboxEnd, SandboxRun } from '../sandboxes/types.ts'
import type { BundleCache, LoadedBundle } from './bundle-cache.ts'
import type { DeclaredTools } from './declared-tools.ts'
import type { Failing } from './failing.ts'
import type { StandIn } from './file-content.ts'
import type { Gate } from './gate.ts'
import type { Held } from './held.ts'
import type { Recorder } from './recorder.ts'
import type { Services } from './services.ts'
import type { HeldShare } from './share.ts'
import type { ToolTable } from './tool-table.ts'

/** One run. Its own modules change it, and nobody else: `guest.ts`, `effects/`, `end.ts`. */
export interface Run {
	readonly services: Services
	readonly bundles: BundleCache
	readonly begin: RunBegin
	/** Set before the sandbox starts. */
	bundle: LoadedBundle
	readonly recorder: Recorder
	/** What its entries are dated by: goes on evenly from the last of them. */
	at(): number
	/** When it began first: the guest's clock at its start. */
	readonly startedAt: number
	/** By effect number; nothing at 0. */
	readonly effects: Effect[]
	/** Answered effects in the order of delivery, which is the order of their entries. */
	readonly closings: Effect[]
	guest: Guest
	/** Sandboxes that died under it, but for those that died while another run executed. */
	lost: number
	/** Turns of it that were cut off for want of a processor. */
	starved: number
	/** It is run in a context of its own, whatever its agent is. */
	alone: boolean
	/** When the host said that it has the run: from here on all effects may happen. 0 before. */
	goneAt: number
	/** The host stops: effects under way are finished, no other begins. */
	handedOver: boolean
	watched: boolean
	/** Set once; nothing happens to a run that is over. */
	outcome: RunOutcome | undefined
	over: boolean
	/** Of the error that its program ended with. */
	stack: string | undefined
	readonly usage: Usage
	/** Model calls and tool calls begun, each counted once however often a crash repeats it. */
	steps: number
	toolCalls: number
	httpCalls: number
	/** Characters of the responses to them. */
	httpChars: number
	/** Read of the deployment's memory. */
	memoryChars: number
	/** Its last tool calls, where all of them failed. */
	failing: Failing | undefined
	/** Milliseconds of its time that earlier attempts used. */
	usedMs: number
	/** Of `services.now`; `Infinity` until it goes with its bundle at hand. */
	deadline: number
	readonly abort: AbortController
	readonly running: Set<Effect>
	/** Those of them that wait for a person. */
	readonly pending: Map<Effect, Pending>
	/** Since when it has done nothing but wait for people while a connector's call stays open, by `services.now`. */
	heldSince: number | undefined
	/** Waits before another attempt at a model call, to be cut short when the host stops. */
	readonly retrying: Set<AbortController>
	/** When an effect was last begun or ended. */
	activeAt: number
	/** Of its tokens and dollars, for calls of models and agents under way. */
	readonly held: Held
	/** Of calls of agents, by effect. */
	readonly shares: Map<number, HeldShare>
	/** Such calls that wait for one. */
	readonly asking: Map<number, PromiseWithResolvers<Allowance | undefined>>
	/** Model calls under way, and what each counts for if the run ends now. */
	readonly calls: Map<Effect, () => ModelUsage>
	readonly modelGate: Gate
	readonly toolGate: Gate
	/** Text of the model that came since the last flush, by effect. */
	readonly deltas: Map<Effect, string>
	/** Codes this run's effects were rejected with: the only ones its program may end with. */
	readonly rejections: Set<string>
	readonly scrubbers: Set<Scrubber>
	/** The host has its end, or it was given up. */
	readonly finished: PromiseWithResolvers<void>
	/** What was in flight when it ended. */
	inFlight: InFlight[]
	/** Fetches the content of a file for an answered effect, and goes on. */
	fetch(effect: Effect, standIn: StandIn): void
	/** Begins an effect that is due. */
	start(effect: Effect): void
}

export interface Pending {
	/** Of the approval. */
	id: string
	/** A connector's call stays open meanwhile: the run cannot be parked. */
	open: boolean
	/** Has it look for the decision. */
	look(): void
}

/** What one execution of the program has come to. A lost sandbox begins a new one. */
export interface Guest {
	sandbox: SandboxRun | undefined
	/** Effects asked for so far. */
	issued: number
	/** How many of `closings` it has been given. */
	delivered: number
	/** Asked for, and waiting until the replay has caught up or the run may go. */
	held: Effect[]
	/** The content of a file is on its way; nothing is delivered before it. */
	fetching?: boolean
	ended: SandboxEnd | undefined
	/** Lines of its log that were too many. */
	notKept: number
	declared: DeclaredTools
	/** Versions of memory's files that it has seen, by path. Filled alike by a program that runs for the first time and by one that is run again. */
	known: Map<string, number>
	tools: Promise<ToolTable> | undefined
}

/**
 * Whether an effect happens now. A first call of the model may happen before the host has the run: it changes nothing, and
 * if the run is refused, its answer is nobody's.
 */
export function mayBegin(run: Run, { n, method }: Effect): boolean {
	if (isLive(run)) return true
	const { begin, goneAt, handedOver } = run
	return begin.model_ahead === true && n === 1 && method === 'model' && goneAt === 0 && !handedOver
}

/** Everything recorded has been given to the guest, and it may act: what it asks for now happens. */
export function isLive(run: Run): boolean {
	return run.goneAt > 0 && !run.handedOver && run.guest.delivered === run.closings.length
}
