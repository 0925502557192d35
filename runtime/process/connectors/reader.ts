import {
	isJSONRPCErrorResponse,
	isJSONRPCResultResponse,
	type JSONRPCMessage,
	SdkError,
	SdkErrorCode,
} from '@modelcontextprotocol/client'
import {
	type BodyReader,
	createSseParser,
	EVENTS,
	mediaType,
	type ResponseHead,
	type SseParser,
	sorted,
} from '../../egress/index.ts'
import { mendResponse } from './mend.ts'

/** Reads the body of an answer, one JSON or a stream of events, and of what it is resumed by. */
export interface AnswerReader extends BodyReader {
	readonly last: SseParser['last']
	/** The body of a 2xx has ended: whether all that was to come has come. */
	end(): boolean
	/** A 400 may hold the JSON-RPC error of the request, which then is its answer. */
	readError(): boolean
	text(): string
}

const MAX_ERROR_BYTES = 64 * 1024

/** `awaited`, `method`: id and method of the request whose answer this is; undefined for a notification. */
export function readAnswer(
	onMessage: (message: JSONRPCMessage) => void,
	awaited: string | number | undefined,
	method?: string,
): AnswerReader {
	let head: ResponseHead = { status: 0, headers: {} }
	let type = ''
	let events = false
	let read = (_chunk: Buffer) => true
	let answered = false
	let bytes = 0
	const chunks: Buffer[] = []
	const give = (value: unknown) => {
		for (const given of Array.isArray(value) ? value : [value]) {
			let message = given
			if (awaited !== undefined && message?.id === awaited && message.method === undefined) {
				message = mendResponse(message, method)
				// The client would pass it over, and wait on.
				if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) throw notAnswered()
				answered = true
			}
			onMessage(message as JSONRPCMessage)
		}
	}
	const parser = createSseParser((data, event) => {
		if (data !== '' && (event === '' || event === 'message')) give(JSON.parse(data))
	})
	const pushEvents = (chunk: Buffer) => {
		events = true
		return parser.push(chunk)
	}
	const keep = (chunk: Buffer) => {
		chunks.push(chunk)
		return true
	}
	const text = () => Buffer.concat(chunks).toString('utf8')
	return {
		last: parser.last,
		text,
		onHead(started) {
			head = started
			type = mediaType(head)
			events = type === EVENTS
			read = sorted(type, pushEvents, keep)
		},
		onChunk(chunk) {
			bytes += chunk.length
			if (head.status === 200) return read(chunk)
			return bytes > MAX_ERROR_BYTES || keep(chunk)
		},
		end() {
			if (awaited === undefined || answered || events) return awaited === undefined || answered
			if (type === 'application/json') give(JSON.parse(text()))
			if (answered) return true
			throw notAnswered()
		},
		readError() {
			try {
				const value: unknown = JSON.parse(text())
				if (awaited !== undefined && isJSONRPCErrorResponse(value) && value.id === awaited) give(value)
			} catch {}
			return answered
		},
	}
}

function notAnswered(): SdkError {
	return new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'the server answered with no result')
}
