/** Calls with answers, and one-way notes, over a channel. Both tables are typed by host-calls.ts and runtime-calls.ts. */
import type { Duplex } from 'node:stream'
import { type Channel, type ChannelError, type ChannelOptions, openChannel } from './channel.ts'

const DEFAULT_CALL_TIMEOUT_MS = 120_000

type CallTable<T> = { [N in keyof T]: (args: never) => unknown }
type CallArgs<F> = F extends (args: infer A) => unknown ? A : never
type CallReply<F> = F extends (args: never) => infer R ? R : never

export interface PeerHandlers<OurCalls extends CallTable<OurCalls>, OurNotes> {
	/** An error with a string `code` crosses as `{code, message}`; any other crosses as `internal` and goes to `onError` here. */
	calls: {
		[N in keyof OurCalls]: (
			args: CallArgs<OurCalls[N]>,
		) => CallReply<OurCalls[N]> | Promise<CallReply<OurCalls[N]>>
	}
	/** Contract: must not throw. */
	notes: { [N in keyof OurNotes]: (args: OurNotes[N]) => void }
	onError?(error: unknown, name: string): void
}

export interface Peer<TheirCalls extends CallTable<TheirCalls>, TheirNotes> {
	/** Rejects with `PeerError`: the other end's code, or `closed`, `timeout`, `frame_too_large`. */
	call<N extends keyof TheirCalls & string>(
		name: N,
		args: CallArgs<TheirCalls[N]>,
		options?: { timeoutMs?: number },
	): Promise<CallReply<TheirCalls[N]>>
	notify<N extends keyof TheirNotes & string>(name: N, args: TheirNotes[N]): void
	close(): void
	queued(): number
}

export class PeerError extends Error {
	readonly code: string
	constructor(code: string, message: string) {
		super(message)
		this.code = code
	}
}

/** call: {c, i, a} · note: {n, a} · answer: {r, v} or {r, e}, or {r} with bytes behind it */
type Frame = {
	c?: string
	n?: string
	i?: number
	r?: number
	a?: unknown
	v?: unknown
	e?: { code: string; message: string }
}
type Pending = { resolve(value: unknown): void; reject(error: PeerError): void; timer: NodeJS.Timeout }

export function openPeer<
	TheirCalls extends CallTable<TheirCalls>,
	TheirNotes,
	OurCalls extends CallTable<OurCalls>,
	OurNotes,
>(
	stream: Duplex,
	handlers: PeerHandlers<OurCalls, OurNotes>,
	options: Omit<ChannelOptions, 'onMessage'> = {},
): Peer<TheirCalls, TheirNotes> {
	const calls = new Map<string, (args: never) => unknown>(Object.entries(handlers.calls))
	const notes = new Map<string, (args: never) => void>(Object.entries(handlers.notes))
	const pending = new Map<number, Pending>()
	let lastId = 0
	let open = true

	const answer = async (frame: Frame, run: (args: never) => unknown) => {
		try {
			const value = await run(frame.a as never)
			if (value instanceof Uint8Array) channel.sendBytes({ r: frame.i }, value)
			else channel.send({ r: frame.i, v: value ?? {} })
		} catch (error) {
			const known = error instanceof Error && 'code' in error && typeof error.code === 'string'
			if (!known) handlers.onError?.(error, frame.c ?? '')
			const e = known
				? { code: error.code, message: error.message }
				: { code: 'internal', message: 'internal error' }
			channel.send({ r: frame.i, e })
		}
	}
	const settle = (frame: Frame) => {
		const waiting = pending.get(frame.r as number)
		if (!waiting) return
		pending.delete(frame.r as number)
		clearTimeout(waiting.timer)
		if (frame.e) waiting.reject(new PeerError(frame.e.code, frame.e.message))
		else waiting.resolve(frame.v)
	}
	const channel: Channel = openChannel(stream, {
		...options,
		onMessage(message, bytes) {
			const frame = message as Frame
			if (frame.r !== undefined) return settle(bytes ? { ...frame, v: bytes } : frame)
			if (frame.n !== undefined) return notes.get(frame.n)?.(frame.a as never)
			const run = calls.get(frame.c ?? '')
			if (run) void answer(frame, run)
			else channel.send({ r: frame.i, e: { code: 'unknown_call', message: `no call named ${frame.c}` } })
		},
		onClose(error) {
			open = false
			for (const waiting of pending.values()) {
				clearTimeout(waiting.timer)
				waiting.reject(new PeerError('closed', error?.message ?? 'the other process is gone'))
			}
			pending.clear()
			options.onClose?.(error)
		},
	})
	return {
		call(name, args, { timeoutMs = DEFAULT_CALL_TIMEOUT_MS } = {}) {
			if (!open) return Promise.reject(new PeerError('closed', 'the other process is gone'))
			const id = ++lastId
			return new Promise((resolve, reject) => {
				const timer = setTimeout(
					() => settle({ r: id, e: { code: 'timeout', message: `no answer to ${name}` } }),
					timeoutMs,
				)
				pending.set(id, { resolve: resolve as Pending['resolve'], reject, timer })
				try {
					channel.send({ c: name, i: id, a: args })
				} catch (error) {
					const { code, message } = error as ChannelError
					settle({ r: id, e: { code, message } })
				}
			})
		},
		notify: (name, args) => channel.send({ n: name, a: args }),
		close: () => channel.close(),
		queued: () => channel.queued(),
	}
}
