/**
 * Newline-delimited JSON over an extra stdio pipe: how host and runtime, runtime and sandbox talk. Not Node's own IPC,
 * whose internal commands a compromised child could forge. Frames are bounded both ways, and so is what may wait to be
 * written; a breach by either end closes the channel. Bytes travel as they are, behind a frame `#<length> <JSON>`.
 */
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const DEFAULT_MAX_FRAME_BYTES = 64 * 1024 * 1024
const DEFAULT_MAX_QUEUED_BYTES = 256 * 1024 * 1024
const NEWLINE = 10

export interface ChannelOptions {
	/** Contract: must not throw; a throw closes the channel. */
	onMessage(message: unknown, bytes?: Buffer): void
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
	/** A frame with bytes behind it, which are written as they are and must not change afterwards. */
	sendBytes(message: unknown, bytes: Uint8Array): void
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
	const deliver = (message: unknown, bytes?: Buffer) => {
		try {
			options.onMessage(message, bytes)
		} catch (error) {
			finish(new ChannelError('handler_failed', 'a frame could not be handled', { cause: error }))
		}
	}
	let announced: unknown
	const onLine = (line: string): number | undefined => {
		// Few frames have bytes behind them: the others, on the path of every run, are only parsed.
		const head = line.startsWith('#') ? /^#(\d{1,9}) /.exec(line) : null
		try {
			const message: unknown = JSON.parse(head ? line.slice(head[0].length) : line)
			if (head) announced = message
			else deliver(message)
		} catch (error) {
			finish(new ChannelError('bad_frame', 'a frame was not JSON', { cause: error }))
		}
		return head ? Number(head[1]) : undefined
	}

	stream.on(
		'data',
		splitLines(
			maxFrame,
			onLine,
			() => closed,
			finish,
			(bytes) => deliver(announced, bytes),
		),
	)
	stream.on('error', (error) =>
		finish(new ChannelError('closed', `the pipe failed: ${error.message}`, { cause: error })),
	)
	stream.on('end', () => finish())
	stream.on('close', () => finish())
	const bounded = () => {
		if (outgoing.length + stream.writableLength > maxQueued)
			finish(new ChannelError('queue_too_large', `over ${maxQueued} bytes wait for a reader`))
	}
	const sendText = (text: string) => {
		if (closed) return
		if (text.length > maxFrame || (text.length * 3 > maxFrame && Buffer.byteLength(text) > maxFrame))
			throw tooLarge(maxFrame)
		if (outgoing === '') setImmediate(flush)
		outgoing += `${text}\n`
		bounded()
	}
	return {
		send: (message) => sendText(JSON.stringify(message)),
		sendText,
		sendBytes(message, bytes) {
			if (closed) return
			if (bytes.length > maxFrame) throw tooLarge(maxFrame)
			sendText(`#${bytes.length} ${JSON.stringify(message)}`)
			flush()
			if (closed) return
			stream.write(bytes)
			bounded()
		},
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

const tooLarge = (most: number) => new ChannelError('frame_too_large', `a frame is over ${most} bytes`)

/**
 * Cuts a byte stream at newlines. Decoding waits for the whole line, so a character is never cut. Keeps the chunks.
 * `onLine` may answer with how many bytes follow its line: they go to `onBytes`, whole.
 */
export function splitLines(
	maxFrame: number,
	onLine: (line: string) => number | undefined,
	stopped: () => boolean,
	fail: (error: ChannelError) => void,
	onBytes: (bytes: Buffer) => void = () => {},
): (chunk: Buffer) => void {
	let parts: Buffer[] = []
	let held = 0
	let wanted: number | undefined
	return (chunk) => {
		let start = 0
		while (!stopped()) {
			if (wanted !== undefined) {
				const part = chunk.subarray(start, start + wanted - held)
				parts.push(part)
				held += part.length
				start += part.length
				if (held < wanted) return
				const bytes = parts.length === 1 ? part : Buffer.concat(parts)
				parts = []
				held = 0
				wanted = undefined
				onBytes(bytes)
				continue
			}
			const end = chunk.indexOf(NEWLINE, start)
			const stop = end === -1 ? chunk.length : end
			held += stop - start
			if (held > maxFrame) return fail(tooLarge(maxFrame))
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
			wanted = onLine(line)
			if (wanted !== undefined && wanted > maxFrame) return fail(tooLarge(maxFrame))
		}
	}
}
