import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { EgressError } from '../../egress/index.ts'
import { stoodStillSince } from '../../lib/clock.ts'

export interface Wait {
	ms: number
	signal?: AbortSignal
}

/**
 * A connect and a listing are shared: one of those who wait for it leaves when its own time is over or it is aborted, and
 * the rest goes on. Where this machine stood still the time begins anew.
 */
export function waitFor<T>(shared: Promise<T>, { ms, signal }: Wait): Promise<T> {
	return new Promise((resolve, reject) => {
		let timer: NodeJS.Timeout
		const wait = () => {
			const from = performance.now()
			timer = setTimeout(() => (stoodStillSince(from) ? wait() : reject(timedOut())), ms)
		}
		const abort = () => reject(signal?.reason)
		signal?.addEventListener('abort', abort, { once: true })
		wait()
		shared.then(resolve, reject).finally(() => {
			clearTimeout(timer)
			signal?.removeEventListener('abort', abort)
		})
		if (signal?.aborted) abort()
	})
}

const timedOut = () => new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out')

export function isTimeout(error: unknown): boolean {
	return error instanceof EgressError
		? error.code === 'egress_timeout'
		: (error as { code?: string }).code === SdkErrorCode.RequestTimeout
}
