import type { ModelSettings } from '../../../bundles/index.ts'
import type { Egress } from '../../egress/index.ts'
import type { ModelUsage } from '../../prices/index.ts'
import type { FileInfo } from '../../wire/files.ts'
import type {
	AssistantMessage,
	Citation,
	Message,
	ModelStop,
	Search,
	StopCause,
	ToolDefinition,
} from '../../wire/model.ts'
import type { Scrubber } from './redact.ts'

export interface ModelRequest {
	provider: 'openai' | 'anthropic'
	/** With `base_url` unset: the provider's public address. */
	base_url?: string
	/** openai only. Omitted: `responses` at OpenAI itself, `chat` everywhere else. */
	api?: 'responses' | 'chat'
	model: string
	system: string
	messages: Message[]
	tools: ToolDefinition[]
	/** By id, those that the messages name. */
	files?: ReadonlyMap<string, ShownFile>
	/** JSON Schema the final answer must have; native structured output where the provider has it. */
	output?: object
	/** Those that its interface takes (`optionFaults`). `max_tokens` is among the parameters by now. */
	options?: ModelSettings
	/** Added to the request's body; what Berth itself sets there is refused (`parameters.ts`). */
	parameters: Record<string, unknown>
	/** The provider has paused its answer: it goes on from what it said. */
	paused?: unknown[]
	/** By the provider, for this answer, before it paused. */
	searched?: number
	/** Same for every call of a run: key of the provider's prompt cache. */
	cacheKey: string
}

/** As its host knows it. `bytes`: put in just before the request. */
export interface ShownFile extends FileInfo {
	bytes?: Buffer
}

export interface ModelResult {
	message: AssistantMessage
	stop: ModelStop
	why?: StopCause
	usage: ModelUsage
	/** The model's name as the provider reports it. */
	model: string
	/** Absent where there are none. */
	citations?: Citation[]
	searches?: Search[]
	/** Not the end of the answer: `paused` of the request that goes on from it. */
	paused?: unknown[]
}

export interface CallContext {
	egress: Egress
	apiKey: string
	/** Of the key, where the caller has one already: making one takes longer than a call's use of it. */
	scrubber?: Scrubber
	signal: AbortSignal
	/** Longest silence before the first event and between two. */
	timeoutMs: number
	/** Longest time of the whole call; the caller's signal may end it sooner. */
	totalMs?: number
	onDelta?: (text: string) => void
}

/** Codes a provider failure maps to (spec provider.failure-codes); `message` is fit for the owner and holds no key. */
export class ProviderError extends Error {
	readonly code: 'provider_auth_failed' | 'provider_rate_limited' | 'provider_unavailable' | 'agent_error'
	/** The same request may be answered when it is made again. */
	readonly passing: boolean
	/** Milliseconds the provider asks to wait before that. */
	readonly waitMs: number | undefined
	/** The provider has no such model. */
	readonly missing: boolean
	/** Of an answer that had begun, as far as it is known. */
	readonly used: ModelUsage | undefined
	constructor(
		code: ProviderError['code'],
		message: string,
		{ passing = false, waitMs, used, missing = false, ...options }: ErrorOptions & Partial<Lost> = {},
	) {
		super(message, options)
		this.code = code
		this.passing = passing
		this.waitMs = waitMs
		this.used = used
		this.missing = missing
	}
}

type Lost = Pick<ProviderError, 'passing' | 'waitMs' | 'used' | 'missing'>
