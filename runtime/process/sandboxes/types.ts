/**
 * The sandbox as the run engine sees it. `Sandboxes` owns processes and isolates; the engine owns what an effect
 * means. Only JSON texts cross in either direction.
 */

/** What the guest is built from; made once per bundle digest. */
export interface GuestBundle {
	digest: string
	/** JSON text given to the guest program: prompt, model, skills with their texts, output schema. */
	agent: string
	/** Compiled scripts: `tools.ts` of each skill and, where there is one, `agent.ts`. */
	scripts: { name: string; kind: 'tools' | 'agent'; skill?: string; code: string }[]
}

export interface SandboxJob {
	/** A process that executes its code serves no other, for its whole life. */
	deployment: string
	/** Whose it is: runs of two accounts never share a process. */
	account: string
	run: string
	bundle: GuestBundle
	/** Digest of the guest program it began with; undefined, or one that is not here: the current one. */
	prelude?: string | undefined
	memoryMb: number
	/** CPU of the whole run in the isolate, in milliseconds. */
	cpuMs: number
	/** How often it was `starved` before: it is given more of the clock each time. */
	starved?: number
	/** In a context of its own, though its agent has no code. */
	alone?: boolean
	/** JSON text of the inputs. */
	inputs: string
	seed: string
	/** The guest's clock at its start; afterwards it stands at the `at` of the newest delivery. */
	startedAt: number
	/**
	 * The guest issued effect `n` (1, 2, 3 … enforced by the sandbox side of the channel: anything else ends the run as
	 * `agent_error`). Called in order. Must not throw. `stack`: of an error it tells of, with places in compiled scripts.
	 */
	onEffect(n: number, method: string, args: string, stack?: string): void
	/** So many lines of its log have not become effects, as they were too many. Grows. */
	onNotKept?(lines: number): void
	/** Exactly once, unless `stop` was called first. */
	onEnd(end: SandboxEnd): void
}

export type SandboxEnd =
	| { ok: true; output: string }
	/** The guest's own failure or its breach of a limit. */
	| {
			ok: false
			code: 'agent_error' | 'memory_limit_reached' | 'cpu_limit_reached'
			message: string
			/** The code of the error the program ended with, as the guest says: believe only one that was delivered to it. */
			cause?: string
			/** As with `onEffect`; not believed either. */
			stack?: string | undefined
	  }
	/**
	 * The process died, or the run was `starved`: its turn was cut off though it had not had its CPU time. Run it again with
	 * its journal. `blameless`: it did not execute then, or could not, so this does not count.
	 */
	| {
			ok: false
			code: 'sandbox_lost'
			message: string
			blameless: boolean
			starved?: true
			/** Is to be run by itself: it outgrew the context that it shared, or that broke. */
			alone?: true
			stack?: string | undefined
	  }

export interface SandboxRun {
	/** Settles effect `n` in the guest; `json` is its result, or `{code, message}` where not ok. `at`: new guest time. */
	deliver(n: number, ok: boolean, json: string, at: number): void
	/** Sets `ctx.signal` in the guest is not needed: the run is over for the engine. Throws its isolate away. Idempotent. */
	stop(): void
}

export interface Sandboxes {
	start(job: SandboxJob): SandboxRun
	/** Kills the deployment's processes and takes it out of common ones (stopped, deleted). Its runs end as `sandbox_lost`. */
	drop(deployment: string): Promise<void>
	/** The isolation layers that hold on this machine, for the start log and `/readyz`. */
	layers(): string[]
	stats(): { deployment: string | null; pid: number }[]
	/** Ends every process and waits for it. Idempotent. */
	close(): Promise<void>
}
