/**
 * Newline-delimited JSON over an extra stdio pipe: how host and runtime, runtime and sandbox talk. Not Node's own IPC,
 * whose internal commands a compromised child could forge. Frames are bounded both ways, and so is what may wait to be
 * written; a breach by either end closes the channel.
 */
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const DEFAULT_MAX_FRAME_BYTES = 64 * 1024 * 1024
const DEFAULT_MAX_QUEUED_BYTES = 256 * 1024 * 1024
const NEWLINE = 10

export interface ChannelOptions {
	/** Contract: must not throw; a throw closes the channel. */
	onMessage(message: unknown): void
	/** Exactly once, with the reason where the end was not asked for. */
	onClose?(error: ChannelError | undefined): void
	/** Longest frame in either direction, in UTF-8 bytes. */
	maxFrameBytes?: number
	/** What may wait for a reader that does not read, in bytes. */
	maxQueuedBytes?: number
}

export interface Channel {
	/** Queues one frame; all of one turn of the event loop leave in one write. Throws `frame_too_large`; after the close it does nothing. */
	send(message: unknown): void
	/** The same for what is JSON text already. Contract: no newline in it. */
	sendText(text: string): void
	/** Writes what is queued now, for a sender that will be busy for the rest of this turn. */
	flush(): void
	/** Writes what is queued, then ends the stream. Idempotent. */
	close(): void
	/** Bytes (at least) that the other end has not taken yet. */
	queued(): number
}

export type ChannelErrorCode =
	| 'frame_too_large'
	| 'queue_too_large'
	| 'bad_frame'
	| 'handler_failed'
	| 'closed'
	| 'timeout'

export class ChannelError extends Error {
	readonly code: ChannelErrorCode
	constructor(code: ChannelErrorCode, message: string, options?: ErrorOptions) {
		super(message, options)
		this.code = code
	}
}

/** The child's end of the pipe its parent opened as an extra stdio entry. */
export function inheritedStream(fd = 3): Duplex {
	return new Socket({ fd, readable: true, writable: true })
}

export function openChannel(stream: Duplex, options: ChannelOptions): Channel {
	const maxFrame = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES
	const maxQueued = options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES
	let outgoing = ''
	let closed = false

	const finish = (error?: ChannelError) => {
		if (closed) return
		closed = true
		outgoing = ''
		stream.destroy()
		options.onClose?.(error)
	}
	const flush = () => {
		if (closed || outgoing === '') return
		const text = outgoing
		outgoing = ''
		stream.write(text)
	}
	const onLine = (line: string) => {
		let message: unknown
		try {
			message = JSON.parse(line)
		} catch (error) {
			return finish(new ChannelError('bad_frame', 'a frame was not JSON', { cause: error }))
		}
		try {
			options.onMessage(message)
		} catch (error) {
			finish(new ChannelError('handler_failed', 'a frame could not be handled', { cause: error }))
		}
	}

	stream.on(
		'data',
		splitLines(maxFrame, onLine, () => closed, finish),
	)
	stream.on('error', (error) =>
		finish(new ChannelError('closed', `the pipe failed: ${error.message}`, { cause: error })),
	)
	stream.on('end', () => finish())
	stream.on('close', () => finish())
	const sendText = (text: string) => {
		if (closed) return
		if (text.length > maxFrame || (text.length * 3 > maxFrame && Buffer.byteLength(text) > maxFrame)) {
			throw new ChannelError('frame_too_large', `a frame is over ${maxFrame} bytes`)
		}
		if (outgoing === '') setImmediate(flush)
		outgoing += `${text}\n`
		if (outgoing.length + stream.writableLength > maxQueued) {
			finish(new ChannelError('queue_too_large', `over ${maxQueued} bytes wait for a reader`))
		}
	}
	return {
		send: (message) => sendText(JSON.stringify(message)),
		sendText,
		flush,
		close() {
			if (closed) return
			flush()
			closed = true
			stream.end(() => stream.destroy())
			options.onClose?.(undefined)
		},
		queued: () => outgoing.length + stream.writableLength,
	}
}

/** Cuts a byte stream at newlines. Decoding waits for the whole line, so a character is never cut. Keeps the chunks. */
export function splitLines(
	maxFrame: number,
	onLine: (line: string) => void,
	stopped: () => boolean,
	fail: (error: ChannelError) => void,
): (chunk: Buffer) => void {
	let parts: Buffer[] = []
	let held = 0
	return (chunk) => {
		let start = 0
		while (!stopped()) {
			const end = chunk.indexOf(NEWLINE, start)
			const stop = end === -1 ? chunk.length : end
			held += stop - start
			if (held > maxFrame)
				return fail(new ChannelError('frame_too_large', `a frame is over ${maxFrame} bytes`))
			if (end === -1) {
				if (stop > start) parts.push(start === 0 ? chunk : chunk.subarray(start))
				return
			}
			const line =
				parts.length === 0
					? chunk.toString('utf8', start, end)
					: Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8')
			parts = []
			held = 0
			start = end + 1
			onLine(line)
		}
	}
}
