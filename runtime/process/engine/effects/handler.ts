import type { Effects } from '../../../wire/effects.ts'
import type { Effect, Method } from '../../../wire/recorded-effect.ts'
import { RunFailure } from '../failure.ts'
import type { Run } from '../run.ts'

export interface Handler {
	/**
	 * Contract: ends with `settle`, or with `note` where nothing is delivered; throws or rejects `EffectRejection` for the
	 * guest to see, `RunFailure` to end the run.
	 */
	run(run: Run, effect: Effect): void | Promise<void>
	/** Asked for again and answered from the journal: does to the guest's state what it did the first time. */
	replayed?(run: Run, effect: Effect, args: string): void
}

/** Arguments as they are typed, and not yet believed: every member is of unknown shape. */
export type Claimed<M extends Method> = { [K in keyof Effects[M]['args']]?: unknown }

export function argsOf<M extends Method>(text: string): Claimed<M> {
	let args: unknown
	try {
		args = JSON.parse(text)
	} catch {
		throw malformed('are not JSON')
	}
	if (typeof args !== 'object' || args === null) throw malformed('are not an object')
	return args as Claimed<M>
}

export function malformed(what: string): RunFailure {
	return new RunFailure('agent_error', `The program asked for an effect whose arguments ${what}.`)
}

export function text(value: unknown, name: string): string {
	if (typeof value !== 'string') throw malformed(`have no text \`${name}\``)
	return value
}

export function optionalVersion(value: unknown): number | undefined {
	if (value === undefined || value === null) return undefined
	if (!Number.isSafeInteger(value)) throw malformed('have a `version` that is no whole number')
	return value as number
}
