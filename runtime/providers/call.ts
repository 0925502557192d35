import { createSseParser, EgressError, type ResponseHead } from '../egress/index.ts'
import { apiOf, baseUrl } from './address.ts'
import { chat } from './chat.ts'
import { isQuota, statusFailure, statusRow, transportFailure } from './failure.ts'
import { messages } from './messages.ts'
import { checkParameters } from './parameters.ts'
import { createScrubber, type Scrubber } from './redact.ts'
import { responses } from './responses.ts'
import { askedRetry, askedWaitMs, RETRIES, waitToRetry } from './retry.ts'
import { type CallContext, type ModelRequest, type ModelResult, ProviderError } from './types.ts'
import { estimatedUsage } from './usage.ts'
import type { Wire, WireReader } from './wire.ts'

const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const MAX_MESSAGE_CHARS = 1_000
const MAX_MODEL_CHARS = 200

export const wires: Record<ReturnType<typeof apiOf>, Wire> = { responses, chat, messages }

/** One model call, with its retries. Rejects with `ProviderError`, or with `signal.reason` once the signal is aborted. */
export async function callModel(request: ModelRequest, context: CallContext): Promise<ModelResult> {
	const wire = wires[apiOf(request)]
	const { scrubber = createScrubber([context.apiKey]) } = context
	try {
		checkKey(context.apiKey)
		checkParameters(wire, request.parameters)
		const call = {
			url: baseUrl(request) + wire.path,
			body: bodyOf(wire, request),
			request,
			wire,
		}
		for (let attempt = 0; ; attempt++) {
			const answer = await exchange(call, context, scrubber)
			if ('result' in answer) return scrubber.json(answer.result)
			const retry = answer.retry && attempt < RETRIES && (await waitToRetry(attempt, answer.waitMs, context))
			if (!retry) throw answer.error
		}
	} catch (error) {
		throw cleanError(error, context, scrubber)
	}
}

/** What is sent back of earlier answers has been in the hands of the agent's program. */
function bodyOf(wire: Wire, request: ModelRequest): string {
	try {
		return JSON.stringify(wire.body(request))
	} catch (cause) {
		throw new ProviderError('agent_error', 'the conversation holds a message of another shape', { cause })
	}
}

/** A header carries visible ASCII only; anything else was never a key of this provider. */
export function checkKey(apiKey: string): void {
	if (/^[\x21-\x7e]+$/.test(apiKey)) return
	throw new ProviderError(
		'provider_auth_failed',
		'the provider key holds characters that no header can carry',
	)
}

interface Call {
	url: string
	body: string
	request: ModelRequest
	wire: Wire
}

type Answer = { result: ModelResult } | { error: ProviderError; retry: boolean; waitMs?: number }

async function exchange(call: Call, context: CallContext, scrubber: Scrubber): Promise<Answer> {
	const { wire, request, body } = call
	const deltas = deltaStream(context.onDelta, scrubber)
	const reader = wire.reader(deltas?.push)
	const errorBody: Buffer[] = []
	let received = 0
	let parser: ReturnType<typeof createSseParser> | undefined
	let head: ResponseHead
	try {
		head = await context.egress.stream(
			call.url,
			{
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					accept: 'text/event-stream',
					...wire.headers(request, context.apiKey),
				},
				body,
				signal: context.signal,
				headersMs: context.timeoutMs,
				idleBodyMs: context.timeoutMs,
				maxBytes: MAX_ANSWER_BYTES,
			},
			{
				onHead: ({ status, headers }) => {
					if (status !== 200) return
					if (!/text\/event-stream/i.test(String(headers['content-type']))) throw garbage()
					parser = createSseParser(guardedEvent(reader))
				},
				onChunk: (chunk) => {
					received += chunk.length
					if (parser) parser.push(chunk)
					else if (received <= MAX_ERROR_BYTES) errorBody.push(chunk)
				},
			},
		)
	} catch (error) {
		if (!(error instanceof EgressError)) throw error
		// Nothing of an answer has come: the connection failed, or a kept one had just been closed.
		const retry = error.code === 'egress_unreachable' || (error.code === 'egress_broken' && !parser)
		return { error: transportFailure(error), retry }
	}
	if (head.status !== 200) return refusal(head, Buffer.concat(errorBody).toString('utf8'))
	const result = read(reader)
	deltas?.end()
	const { usage = estimatedUsage(body.length, received) } = result
	return { result: { ...result, usage, model: result.model.slice(0, MAX_MODEL_CHARS) || request.model } }
}

function refusal({ status, headers }: ResponseHead, body: string): Answer {
	const retry = askedRetry(headers) ?? (statusRow(status).retry && !isQuota(body))
	return { error: statusFailure(status, body), retry, waitMs: askedWaitMs(headers, Date.now()) }
}

function guardedEvent(reader: WireReader) {
	return (data: string, name: string) => {
		// OpenAI's last line; gateways end other interfaces with it, too.
		if (data === '[DONE]') return
		try {
			reader.event(data, name)
		} catch (error) {
			throw error instanceof ProviderError ? error : garbage(error)
		}
	}
}

function read(reader: WireReader) {
	let result: ReturnType<WireReader['result']>
	try {
		result = reader.result()
	} catch (error) {
		throw garbage(error)
	}
	if (!result) throw new ProviderError('provider_unavailable', "the provider's answer ended in the middle")
	// What the model was about to do when it was stopped is not done.
	const { role, content } = result.message
	return result.stop === 'refusal' ? { ...result, message: { role, content } } : result
}

function garbage(cause?: unknown): ProviderError {
	return new ProviderError(
		'provider_unavailable',
		'the provider answered with something that is no model answer',
		{ cause },
	)
}

function deltaStream(onDelta: CallContext['onDelta'], scrubber: Scrubber) {
	if (!onDelta) return undefined
	const clean = scrubber.stream()
	const give = (text: string) => {
		if (text) onDelta(text)
	}
	return { push: (text: string) => give(clean.push(text)), end: () => give(clean.end()) }
}

function cleanError(error: unknown, { signal }: CallContext, scrubber: Scrubber): unknown {
	if (signal.aborted) return signal.reason
	if (!(error instanceof ProviderError)) return error
	// Cut only after scrubbing: half a key must not stay.
	return new ProviderError(error.code, scrubber.text(error.message).slice(0, MAX_MESSAGE_CHARS))
}
