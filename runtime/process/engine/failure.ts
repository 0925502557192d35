import type { RunErrorCode } from '../../wire/journal.ts'

/** Ends the run. `message` is shown to whoever runs the agent. */
export class RunFailure extends Error {
	readonly code: RunErrorCode
	constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
		super(message, options)
		this.code = code
	}
}

/**
 * Rejects one effect: the guest sees code and message and may go on. A guest that ends because of it ends the run with
 * that code, where it is one a run may end with.
 */
export class EffectRejection extends Error {
	readonly code: string
	constructor(code: string, message: string, options?: ErrorOptions) {
		super(message, options)
		this.code = code
	}
}

/** The run belongs to another host now, or cannot be written down any more: nothing of it is sent. */
export class RunAbandoned extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options)
		this.name = 'RunAbandoned'
	}
}
