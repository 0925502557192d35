import { type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { newId } from '../lib/ids.ts'
import { Problem } from './errors.ts'

/** A sender that is still sending has read the answer by then. */
const lingerMs = 1_000

/** As Node has it; its own answers look there, too. `incoming`: the request that is read, or was the last. */
type HttpSocket = Socket & {
	_httpMessage?: ServerResponse | null
	parser?: { incoming: IncomingMessage | null } | null
}

/** It is settled how they end: what the parser says meanwhile changes nothing. */
const refused = new WeakSet<Duplex>()

/** Answers in Node's place what never became a request, by a problem document with `headers`, and closes the connection. */
export const refuseConnection = (headers: Record<string, string>) =>
	function refuse(error: ParserError, socket: HttpSocket): void {
		if (refused.has(socket)) return
		const answer = socket._httpMessage
		if (answer?.req.complete && isForGood(error) && socket.writable) {
			// Of requests that came whole before it, each is answered first.
			refused.add(socket)
			socket.pause()
			return void answer.once('close', () => {
				refused.delete(socket)
				refuse(error, socket)
			})
		}
		// What is under way is the answer to an earlier request, or has begun.
		const taken = answer && (answer.headersSent || answer.req.complete)
		if (error.code === 'ECONNRESET' || !socket.writable || taken) return void socket.destroy()
		const { incoming } = socket.parser ?? {}
		// The rest of a request that has its answer, which the sender is left time to read.
		if (!answer && incoming?.complete === false) return void endSlowly(socket)
		const text = answerText(problemOf(error), answer?.req.url?.split('?', 1)[0] ?? '', headers)
		if (answer) {
			// Its route reads on until the connection ends, and must not get the rest of a request that was refused.
			socket.write(text)
			return void socket.destroy()
		}
		endSlowly(socket, text)
	}

/** For `CONNECT`, of which Node would close the connection without an answer. */
export const refuseTunnel = (headers: Record<string, string>) =>
	function refuse(_request: IncomingMessage, socket: Duplex): void {
		// Node listens to the socket no more.
		socket.on('error', () => socket.destroy())
		const problem = new Problem('invalid_request', 'This host is no proxy: it takes no CONNECT.', {
			status: 405,
			headers: { allow: 'GET, POST, PUT, PATCH, DELETE' },
		})
		endSlowly(socket, answerText(problem, '', headers))
	}

/** A whole answer, after which the connection ends. */
function answerText(problem: Problem, instance: string, headers: Record<string, string>): string {
	const body = JSON.stringify(problem.body(instance, newId('req')))
	const head = Object.entries({
		...headers,
		...problem.parts.headers,
		connection: 'close',
		date: new Date().toUTCString(),
		'content-type': 'application/problem+json',
		'content-length': String(Buffer.byteLength(body)),
	}).map(([name, value]) => `${name}: ${value}\r\n`)
	return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${head.join('')}\r\n${body}`
}

/** Unread, so that nothing becomes a request after all. Closed at once, an answer could be lost with what is unread. */
function endSlowly(socket: Duplex, text = ''): void {
	refused.add(socket)
	socket.pause()
	socket.end(text)
	setTimeout(() => socket.destroy(), lingerMs).unref()
}

interface ParserError extends Error {
	code?: string
	/** The parser's own words, which hold nothing of what was sent. */
	reason?: string
}

/** The parser takes nothing more, and nobody has hung up. */
const isForGood = ({ code }: ParserError) => code?.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE'

function problemOf({ code, reason }: ParserError): Problem {
	if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
		return new Problem('invalid_request', 'The request did not arrive in time. Send it again.', {
			status: 408,
		})
	if (code === 'HPE_HEADER_OVERFLOW')
		return new Problem('payload_too_large', `The head of a request takes ${maxHeaderSize} bytes.`, {
			status: 431,
		})
	if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
		return new Problem('payload_too_large', 'The chunk extensions of the body are too long.')
	return new Problem('invalid_request', `The request is not HTTP/1.1: ${reason ?? 'it cannot be read'}.`)
}
