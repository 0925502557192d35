import type { CallContext, ModelRequest, ModelResult } from './types.ts'

/** One model call, with its retries. Rejects with `ProviderError`, or with `signal.reason` once the signal is aborted. */
export function callModel(_request: ModelRequest, _context: CallContext): Promise<ModelResult> {
	throw new Error('under construction')
}

export interface ProbeResult {
	status: 'ok' | 'rejected' | 'unreachable'
	/** Fit for the owner; holds no key. */
	detail: string
}

/** Asks once whether the provider takes the key (contract 6). Never rejects. */
export function probeProvider(
	_provider: Pick<ModelRequest, 'provider' | 'base_url'>,
	_context: Omit<CallContext, 'onDelta'>,
): Promise<ProbeResult> {
	throw new Error('under construction')
}
