import { apiOf, baseUrl, canBeStrict, refusedParameters } from '../../../bundles/index.ts'
import { chat } from './chat.ts'
import { exchange } from './exchange.ts'
import { messages } from './messages.ts'
import { notStrict } from './options.ts'
import { createScrubber, type Scrubber } from './redact.ts'
import { responses } from './responses.ts'
import { type CallContext, type ModelRequest, type ModelResult, ProviderError } from './types.ts'
import type { Wire } from './wire.ts'

const MAX_MESSAGE_CHARS = 1_000

export const wires: Record<ReturnType<typeof apiOf>, Wire> = { responses, chat, messages }

/**
 * One model call, made once: whether it is made again is for who pays for it. Rejects with `ProviderError`, or with
 * `signal.reason` once the signal is aborted.
 */
export async function callModel(request: ModelRequest, context: CallContext): Promise<ModelResult> {
	const api = apiOf(request)
	const wire = wires[api]
	const { scrubber = createScrubber([context.apiKey]) } = context
	try {
		checkKey(context.apiKey)
		checkParameters(wire, request.parameters)
		const { strict, citations } = request.options ?? {}
		if (strict && request.output && (citations || !canBeStrict(api, request.output)))
			throw notStrict(api, citations)
		const call = { url: baseUrl(request) + wire.path, body: bodyOf(wire, request), request, wire }
		return scrubber.json(await exchange(call, context, scrubber))
	} catch (error) {
		throw cleanError(error, context, scrubber)
	}
}

/** What is sent back of earlier answers has been in the hands of the agent's program. */
function bodyOf(wire: Wire, request: ModelRequest): string {
	try {
		return JSON.stringify(wire.body(request))
	} catch (cause) {
		if (cause instanceof ProviderError) throw cause
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

export function cleanError(error: unknown, { signal }: CallContext, scrubber: Scrubber): unknown {
	if (signal.aborted) return signal.reason
	if (!(error instanceof ProviderError)) return error
	const { code, passing, waitMs, used, missing } = error
	// Cut only after scrubbing: half a key must not stay.
	const message = scrubber.text(error.message).slice(0, MAX_MESSAGE_CHARS)
	return new ProviderError(code, message, { passing, waitMs, used, missing })
}

export function checkParameters({ api }: Pick<Wire, 'api'>, parameters: Record<string, unknown>): void {
	const refused = refusedParameters(api, parameters)
	if (refused.length > 0) {
		throw new ProviderError('agent_error', `model.parameters may not set ${refused.join(', ')}`)
	}
}
