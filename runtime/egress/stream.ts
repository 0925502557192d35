import type { Dispatcher } from 'undici'
import { type BodyReader, EgressError, type EgressRequest, type ResponseHead } from './types.ts'

export interface Route {
	dispatcher: Dispatcher
	origin: string
	path: string
	/** Where the address connected to is not the one that was asked for. */
	host?: string
	/** For messages: never the path, which may hold what is not for a log. */
	name: string
}

/**
 * One exchange, straight on the dispatcher: no stream objects, no queue, one timer. Chunks are handed over as the
 * socket yields them.
 */
export function stream(route: Route, request: EgressRequest, reader: BodyReader): Promise<ResponseHead> {
	const { signal } = request
	return new Promise((resolve, reject) => {
		if (signal?.aborted) {
			reject(signal.reason)
			return
		}
		let controller: Dispatcher.DispatchController | undefined
		let head: ResponseHead | undefined
		let received = 0
		let over = false
		const finish = () => {
			over = true
			clearTimeout(timer)
			signal?.removeEventListener('abort', abort)
		}
		const fail = (error: unknown) => {
			if (over) return
			finish()
			reject(error)
			controller?.abort(error instanceof Error ? error : new Error('aborted', { cause: error }))
		}
		const abort = () => fail(signal?.reason)
		const expire = () => fail(new EgressError('egress_timeout', `${route.name} did not answer in time`))
		let timer = setTimeout(expire, request.headersMs)
		signal?.addEventListener('abort', abort)
		const handler: Dispatcher.DispatchHandler = {
			onRequestStart(started) {
				if (over) started.abort(new Error('aborted'))
				controller = started
			},
			onResponseStart(_controller, status, headers) {
				if (over || status < 200) return
				head = { status, headers }
				clearTimeout(timer)
				if (request.idleBodyMs > 0) timer = setTimeout(expire, request.idleBodyMs)
				attempt(() => reader.onHead?.(head as ResponseHead), fail)
			},
			onResponseData(_controller, chunk) {
				if (over) return
				received += chunk.length
				if (received > request.maxBytes) {
					fail(
						new EgressError(
							'egress_too_large',
							`${route.name} answered with more than ${request.maxBytes} bytes`,
						),
					)
					return
				}
				if (request.idleBodyMs > 0) timer.refresh()
				attempt(() => reader.onChunk(chunk), fail)
			},
			onResponseEnd() {
				if (over) return
				finish()
				resolve(head as ResponseHead)
			},
			onResponseError(_controller, error) {
				fail(
					error instanceof EgressError ? error : transportError(route.name, error, controller !== undefined),
				)
			},
		}
		try {
			route.dispatcher.dispatch(dispatchOptions(route, request), handler)
		} catch (error) {
			fail(error)
		}
	})
}

function dispatchOptions(route: Route, request: EgressRequest): Dispatcher.DispatchOptions {
	return {
		origin: route.origin,
		path: route.path,
		method: request.method,
		headers: route.host === undefined ? request.headers : { ...request.headers, host: route.host },
		body: request.body ?? null,
		// The one timer above bounds both, exactly and from the first moment on.
		headersTimeout: 0,
		bodyTimeout: 0,
	}
}

function attempt(run: () => void, fail: (error: unknown) => void) {
	try {
		run()
	} catch (error) {
		fail(error)
	}
}

function transportError(name: string, error: Error, sent: boolean): EgressError {
	const reason = (error as NodeJS.ErrnoException).code ?? error.message
	return sent
		? new EgressError('egress_broken', `the connection to ${name} broke (${reason})`, { cause: error })
		: new EgressError('egress_unreachable', `no connection to ${name} (${reason})`, { cause: error })
}
