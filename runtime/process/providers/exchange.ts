import { apiOf } from '../../../bundles/index.ts'
import {
	createSseParser,
	EgressError,
	EVENTS,
	mediaType,
	type ResponseHead,
	sorted,
} from '../../egress/index.ts'
import { sharedNow } from '../../lib/clock.ts'
import { askedWaitMs } from '../../lib/retry.ts'
import type { ModelUsage } from '../../prices/index.ts'
import { keptCitations, keptSearches } from './citations.ts'
import {
	bodyFailure,
	isMissing,
	isQuota,
	refusesRetry,
	statusFailure,
	statusRow,
	transportFailure,
} from './failure.ts'
import { countedChars } from './file-parts.ts'
import { noStream } from './no-stream.ts'
import { blamed } from './options.ts'
import type { Scrubber } from './redact.ts'
import { type CallContext, type ModelRequest, type ModelResult, ProviderError } from './types.ts'
import { estimatedUsage, usageOfPart } from './usage.ts'
import type { Wire, WireReader } from './wire.ts'

const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const MAX_MODEL_CHARS = 200

export interface ProviderCall {
	url: string
	body: string
	request: ModelRequest
	wire: Wire
}

/** One request and its answer. Rejects with `ProviderError`, or with whatever the signal was aborted with. */
export async function exchange(
	call: ProviderCall,
	context: CallContext,
	scrubber: Scrubber,
): Promise<ModelResult> {
	const { wire, request, body } = call
	const deltas = deltaStream(context.onDelta, scrubber)
	const reader = wire.reader(deltas?.push, request)
	const errorBody: Buffer[] = []
	const sent = () => countedChars(body, request.files)
	let received = 0
	let parser: ReturnType<typeof createSseParser> | undefined
	let answer: ReturnType<typeof sorted> | undefined
	const pushEvents = (chunk: Buffer) => {
		parser ??= createSseParser(guardedEvent(reader))
		return parser.push(chunk)
	}
	/** Of an answer that is no stream. */
	let other: string | undefined
	const collect = (chunk: Buffer) => {
		if (received > MAX_ERROR_BYTES) throw noStream(type, '')
		other = (other ?? '') + chunk.toString('latin1')
		return true
	}
	let type = ''
	let head: ResponseHead
	try {
		head = await context.egress.stream(call.url, requestOf(call, context), {
			onHead: (started) => {
				if (started.status !== 200) return
				type = mediaType(started)
				if (type === EVENTS) parser = createSseParser(guardedEvent(reader))
				answer = sorted(type, pushEvents, collect)
			},
			onChunk: (chunk) => {
				received += chunk.length
				if (answer) return answer(chunk)
				if (received <= MAX_ERROR_BYTES) errorBody.push(chunk)
				return true
			},
		})
		if (head.status !== 200) throw refusal(head, Buffer.concat(errorBody).toString('utf8'), request)
		if (!parser && (received > 0 || type !== '')) throw noStream(type, '')
		const result = read(reader)
		deltas?.end()
		const { usage = withSearches(estimatedUsage(sent(), textBytes(result.message)), reader) } = result
		return { ...result, usage, model: result.model.slice(0, MAX_MODEL_CHARS) || request.model }
	} catch (error) {
		if (other !== undefined && !context.signal.aborted)
			throw noStream(type, Buffer.from(other, 'latin1').toString('utf8'))
		const failure = error instanceof EgressError ? transportFailure(error) : error
		if (!(failure instanceof ProviderError) || !parser) throw failure
		const used = withSearches(usageOfPart(reader.soFar?.(), sent(), deltas?.chars() ?? 0), reader)
		const { code, message, passing, missing } = failure
		throw new ProviderError(code, message, { passing, missing, used })
	}
}

/** Of what the model wrote: the stream around it is many times as long. */
function textBytes({ content, tool_calls, provider }: ModelResult['message']): number {
	const more = [tool_calls, provider].map((part) => (part === undefined ? '' : JSON.stringify(part)))
	return Buffer.byteLength(content + more.join(''))
}

function withSearches(usage: ModelUsage, reader: WireReader): ModelUsage {
	const made = searchesOf(reader)
	return made > 0 ? { ...usage, web_searches: made } : usage
}

/** Of an answer that cannot be read, as little as can be. */
function searchesOf({ searched }: WireReader): number {
	try {
		return searched?.() ?? 0
	} catch {
		return 0
	}
}

function requestOf(
	{ wire, request, body }: ProviderCall,
	{ apiKey, signal, timeoutMs, totalMs }: CallContext,
) {
	return {
		method: 'POST' as const,
		repeatable: true,
		headers: {
			'content-type': 'application/json',
			accept: 'text/event-stream',
			...wire.headers(request, apiKey),
		},
		body,
		signal,
		headersMs: timeoutMs,
		idleBodyMs: timeoutMs,
		...(totalMs !== undefined && { totalMs }),
		maxBytes: MAX_ANSWER_BYTES,
	}
}

export function refusal(head: ResponseHead, body: string, request?: ModelRequest): ProviderError {
	const { status, headers } = head
	const { code, message } = statusFailure(head, body)
	const missing = isMissing(status, body)
	if (request && (status === 400 || status === 422))
		return new ProviderError(code, message + blamed(apiOf(request), request, body), { missing })
	const passing = statusRow(status).retry && !refusesRetry(headers) && !isQuota(body)
	return new ProviderError(code, message, { passing, missing, waitMs: askedWaitMs(headers, sharedNow()) })
}

function guardedEvent(reader: WireReader) {
	return (data: string, name: string) => {
		// OpenAI's last line; gateways end other interfaces with it, too.
		if (data === '[DONE]') return
		try {
			reader.event(data, name)
		} catch (error) {
			throw error instanceof ProviderError ? error : (bodyFailure(data) ?? garbage(error))
		}
		// Of servers that tell of it in another spelling than their interface's.
		const said = name === 'error' || ERROR.test(data) ? bodyFailure(data) : undefined
		if (said) throw said
	}
}

function read(reader: WireReader) {
	let result: ReturnType<WireReader['result']>
	try {
		result = reader.result()
	} catch (error) {
		throw garbage(error)
	}
	if (!result) {
		const message = "the provider's answer ended in the middle"
		throw new ProviderError('provider_unavailable', message, { passing: true })
	}
	// What the model was about to do when it was stopped is not done.
	const { role, content } = result.message
	return result.stop === 'refusal' ? { ...result, message: { role, content } } : bounded(result)
}

function bounded<Result extends Pick<ModelResult, 'citations' | 'searches' | 'message'>>(
	result: Result,
): Result {
	const { citations: said, searches, ...rest } = result
	const citations = said ? keptCitations(said, result.message.content) : []
	return {
		...rest,
		...(citations.length > 0 && { citations }),
		...(searches && { searches: keptSearches(searches) }),
	} as Result
}

const ERROR = /^\s*\{\s*"error"\s*:\s*["{]/

/** Asked again, such a server would say the same, and might charge for it. */
function garbage(cause?: unknown): ProviderError {
	return new ProviderError(
		'provider_unavailable',
		'the provider answered with a stream of events that is no model answer; check base_url and api in agent.yaml',
		{ cause },
	)
}

function deltaStream(onDelta: CallContext['onDelta'], scrubber: Scrubber) {
	if (!onDelta) return undefined
	const clean = scrubber.stream()
	let chars = 0
	const give = (text: string) => {
		if (text) onDelta(text)
	}
	return {
		push(text: string) {
			chars += text.length
			give(clean.push(text))
		},
		end: () => give(clean.end()),
		chars: () => chars,
	}
}
