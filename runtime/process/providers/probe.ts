import { apiOf, baseUrl } from '../../../bundles/index.ts'
import { EgressError } from '../../egress/index.ts'
import { checkKey, wires } from './call.ts'
import { statusFailure } from './failure.ts'
import { createScrubber } from './redact.ts'
import { type CallContext, type ModelRequest, ProviderError } from './types.ts'

export interface ProbeResult {
	status: 'ok' | 'rejected' | 'unreachable'
	/** Fit for the owner; holds no key. */
	detail: string
}

const MAX_BYTES = 4 * 1024 * 1024
const MAX_DETAIL_CHARS = 1_000

/**
 * Asks once whether the provider takes the key (spec provider.key-checked-at-start), by listing models: free, and
 * every compatible server we know has it. One that has not answers 404 or 405, which says nothing against the key.
 * Never rejects. The providers' own libraries are not used here: each adds 24 MB and 80 to 120 ms to the runtime, for
 * this one GET.
 */
export async function probeProvider(
	address: Pick<ModelRequest, 'provider' | 'base_url' | 'api'>,
	context: Omit<CallContext, 'onDelta'>,
): Promise<ProbeResult> {
	const wire = wires[apiOf(address)]
	const request: ModelRequest = {
		...address,
		model: '',
		system: '',
		messages: [],
		tools: [],
		parameters: {},
		cacheKey: '',
	}
	const url = `${baseUrl(address)}${address.provider === 'anthropic' ? '/v1' : ''}/models`
	const { scrubber = createScrubber([context.apiKey]) } = context
	const clean = (text: string) => scrubber.text(text).slice(0, MAX_DETAIL_CHARS)
	try {
		checkKey(context.apiKey)
		const { text, ...head } = await context.egress.text(url, {
			method: 'GET',
			headers: { accept: 'application/json', ...wire.headers(request, context.apiKey) },
			signal: context.signal,
			headersMs: context.timeoutMs,
			idleBodyMs: context.timeoutMs,
			maxBytes: MAX_BYTES,
		})
		const { status } = head
		if (status === 401 || status === 403)
			return { status: 'rejected', detail: clean(statusFailure(head, text).message) }
		if (status >= 500) return { status: 'unreachable', detail: clean(statusFailure(head, text).message) }
		return { status: 'ok', detail: `the provider answered ${status}` }
	} catch (error) {
		if (error instanceof EgressError && error.code === 'egress_too_large') {
			return { status: 'ok', detail: 'the provider answered' }
		}
		if (error instanceof ProviderError) return { status: 'rejected', detail: error.message }
		return { status: 'unreachable', detail: clean(error instanceof Error ? error.message : 'aborted') }
	}
}
