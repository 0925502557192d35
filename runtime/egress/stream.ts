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
	return new Promise((resolve, reject) => {
		if (request.signal?.aborted) reject(request.signal.reason)
		else new Exchange(route, request, reader, resolve, reject).start()
	})
}

class Exchange implements Dispatcher.DispatchHandler {
	readonly #route: Route
	readonly #request: EgressRequest
	readonly #reader: BodyReader
	readonly #resolve: (head: ResponseHead) => void
	readonly #reject: (error: unknown) => void
	#controller: Dispatcher.DispatchController | undefined
	#head: ResponseHead | undefined
	#timer: NodeJS.Timeout | undefined
	#ceiling: NodeJS.Timeout | undefined
	#received = 0
	/** Counts what is an answer: its head, and each chunk that is more than a sign of life. */
	#progress = 0
	#over = false

	constructor(
		route: Route,
		request: EgressRequest,
		reader: BodyReader,
		resolve: (head: ResponseHead) => void,
		reject: (error: unknown) => void,
	) {
		this.#route = route
		this.#request = request
		this.#reader = reader
		this.#resolve = resolve
		this.#reject = reject
	}

	start(): void {
		const { method, headers, body, signal, headersMs, totalMs } = this.#request
		const { dispatcher, origin, path, host } = this.#route
		this.#wait(headersMs)
		if (totalMs !== undefined) this.#ceiling = setTimeout(this.#end, totalMs)
		signal?.addEventListener('abort', this.#abort)
		try {
			dispatcher.dispatch(
				{
					origin,
					path,
					method,
					headers: host === undefined ? headers : { ...headers, host },
					body: body ?? null,
					// The one timer here bounds both, exactly and from the first moment on.
					headersTimeout: 0,
					bodyTimeout: 0,
				},
				this,
			)
		} catch (error) {
			this.#fail(error)
		}
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller
		if (this.#over) controller.abort(new Error('aborted'))
	}

	onResponseStart(_controller: unknown, status: number, headers: ResponseHead['headers']): void {
		if (this.#over || status < 200) return
		this.#head = { status, headers }
		this.#progress++
		this.#wait(this.#request.idleBodyMs)
		try {
			this.#reader.onHead?.(this.#head)
		} catch (error) {
			this.#fail(error)
		}
	}

	onResponseData(_controller: unknown, chunk: Buffer): void {
		if (this.#over) return
		this.#received += chunk.length
		const { maxBytes } = this.#request
		try {
			if (this.#received > maxBytes) {
				throw new EgressError(
					'egress_too_large',
					`${this.#route.name} answered with more than ${maxBytes} bytes`,
				)
			}
			if (this.#reader.onChunk(chunk) === false || this.#over) return
			this.#progress++
			this.#timer?.refresh()
		} catch (error) {
			this.#fail(error)
		}
	}

	onResponseEnd(): void {
		if (this.#finish()) this.#resolve(this.#head as ResponseHead)
	}

	onResponseError(_controller: unknown, error: Error): void {
		this.#fail(error instanceof EgressError ? error : this.#transportError(error))
	}

	#wait(ms: number): void {
		clearTimeout(this.#timer)
		this.#timer = ms > 0 ? setTimeout(this.#expire, ms) : undefined
	}

	#expire = () => {
		const seen = this.#progress
		this.#afterReading(() => this.#progress === seen && this.#fail(this.#late()))
	}

	#end = () => this.#afterReading(() => this.#fail(this.#late()))

	#abort = () => {
		const { reason } = this.#request.signal as AbortSignal
		if (reason?.name === 'TimeoutError') this.#afterReading(() => this.#fail(reason))
		else this.#fail(reason)
	}

	#late = () =>
		new EgressError('egress_timeout', `${this.#route.name} did not answer in time`, {
			unsent: !this.#controller,
		})

	/**
	 * Where this process stood still, timers are over before anybody has looked at what came meanwhile: that is read
	 * first, until a turn of the event loop brings no more.
	 */
	#afterReading(then: () => void): void {
		const received = this.#received
		setImmediate(() => {
			if (this.#over) return
			if (this.#received === received) then()
			else this.#afterReading(then)
		})
	}

	#fail(error: unknown): void {
		if (!this.#finish()) return
		this.#reject(error)
		this.#controller?.abort(error instanceof Error ? error : new Error('aborted', { cause: error }))
	}

	/** False where it is over already. */
	#finish(): boolean {
		if (this.#over) return false
		this.#over = true
		clearTimeout(this.#timer)
		clearTimeout(this.#ceiling)
		this.#request.signal?.removeEventListener('abort', this.#abort)
		return true
	}

	/** Nothing was sent before the request was given a connection. */
	#transportError(error: Error): EgressError {
		// Never its message: a certificate's, for one, quotes the server.
		const reason = (error as NodeJS.ErrnoException).code ?? error.name
		const { name } = this.#route
		return this.#controller
			? new EgressError('egress_broken', `the connection to ${name} broke (${reason})`, {
					cause: error,
					stale: !this.#head && servedBefore(error),
				})
			: new EgressError('egress_unreachable', `no connection to ${name} (${reason})`, { cause: error })
	}
}

/** Nothing of this answer was read, so what was read is of answers before. */
const servedBefore = (error: Error & { socket?: { bytesRead?: number } | null }): boolean =>
	(error.socket?.bytesRead ?? 0) > 0
