/**
 * OpenAI `POST /embeddings`, which compatible servers have too; Anthropic has none. Request and answer are compiled
 * against the types of the `openai` package.
 */
import type { CreateEmbeddingResponse, EmbeddingCreateParams } from 'openai/resources/embeddings'
import { baseUrl } from '../../../bundles/index.ts'
import { EgressError } from '../../egress/index.ts'
import type { ModelUsage } from '../../prices/index.ts'
import { checkKey, checkParameters, cleanError } from './call.ts'
import { chat } from './chat.ts'
import { refusal } from './exchange.ts'
import { bodyFailure, transportFailure } from './failure.ts'
import { createScrubber } from './redact.ts'
import { type CallContext, type ModelRequest, ProviderError } from './types.ts'
import { estimatedUsage, usageOf } from './usage.ts'
import type { Loose } from './wire.ts'

const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export type EmbedRequest = Pick<ModelRequest, 'provider' | 'base_url' | 'api' | 'model' | 'parameters'> & {
	texts: string[]
}

export interface EmbedResult {
	/** One for each text, in that order, all of one length. */
	vectors: number[][]
	usage: ModelUsage
	/** As the provider reports it. */
	model: string
}

/** One call, made once. Rejects with `ProviderError`, or with `signal.reason` once the signal is aborted. */
export async function embedTexts(request: EmbedRequest, context: CallContext): Promise<EmbedResult> {
	const { apiKey, signal, timeoutMs, totalMs, egress } = context
	const { scrubber = createScrubber([apiKey]) } = context
	try {
		checkKey(apiKey)
		checkParameters(chat, request.parameters)
		const own: EmbeddingCreateParams = {
			model: request.model,
			input: request.texts,
			encoding_format: 'float',
		}
		const body = JSON.stringify({ ...request.parameters, ...own })
		const { text, ...head } = await egress.text(`${baseUrl(request)}/embeddings`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json',
				authorization: `Bearer ${apiKey}`,
			},
			body,
			repeatable: true,
			signal,
			headersMs: timeoutMs,
			idleBodyMs: timeoutMs,
			...(totalMs !== undefined && { totalMs }),
			maxBytes: MAX_ANSWER_BYTES,
		})
		if (head.status !== 200) throw refusal(head, text)
		const { vectors, usage, model } = read(text, request.texts.length)
		return {
			vectors,
			usage: usage ?? estimatedUsage(body.length, 0),
			model: scrubber.text(model || request.model),
		}
	} catch (error) {
		throw cleanError(error instanceof EgressError ? transportFailure(error) : error, context, scrubber)
	}
}

function read(text: string, count: number) {
	try {
		const { data, usage, model } = JSON.parse(text) as Loose<CreateEmbeddingResponse>
		const vectors: number[][] = []
		for (const [i, one] of (data ?? []).entries()) vectors[one.index ?? i] = vectorOf(one.embedding)
		const length = vectors[0]?.length ?? 0
		const whole = Array.from({ length: count }, (_, i) => vectors[i]?.length === length && length > 0)
		if (vectors.length !== count || whole.includes(false)) throw new TypeError('not one vector for each text')
		return { vectors, usage: usageOf(usage?.prompt_tokens, 0, 0, 0), model: String(model ?? '') }
	} catch (cause) {
		const said = bodyFailure(text)
		if (said) throw said
		const message = 'the provider answered with something that is no embedding of each text'
		throw new ProviderError('provider_unavailable', message, { cause })
	}
}

function vectorOf(value: unknown): number[] {
	if (!Array.isArray(value) || !value.every((one) => Number.isFinite(one))) throw new TypeError('no vector')
	return value
}
