import { providerOrigin } from '../../../bundles/index.ts'
import type { Egress } from '../../egress/index.ts'
import type { RuntimeCalls } from '../../wire/runtime-calls.ts'
import type { BundleCache } from '../engine/index.ts'
import { type Credentials, KeyError, PROVIDER } from '../keys/index.ts'
import { probeProvider } from '../providers/index.ts'

export interface ProbeServices {
	egress: Egress
	credentials: Credentials
	bundles: BundleCache
	timeoutMs: number
}

/**
 * Asks the provider once whether it takes the key, before the owner is told that the agent runs
 * (spec provider.key-checked-at-start).
 */
export async function probe(
	{ egress, credentials, bundles, timeoutMs }: ProbeServices,
	{ deployment, digest }: { deployment: string; digest: string },
): Promise<ReturnType<RuntimeCalls['provider.probe']>> {
	const { agent } = bundles.held(digest) ?? (await bundles.load(digest))
	const { model } = agent
	if (model.provider === 'platform') {
		return {
			status: 'rejected',
			detail: "Deployed agents run on their owner's key, not on the platform's provider.",
		}
	}
	try {
		const { payload } = await credentials.open(deployment, PROVIDER, providerOrigin(model))
		if (payload.kind !== 'provider') throw new TypeError('not the credential of a provider')
		const signal = AbortSignal.timeout(timeoutMs)
		return await probeProvider(model, { egress, apiKey: payload.apiKey.reveal(), signal, timeoutMs })
	} catch (error) {
		if (error instanceof KeyError && error.code !== 'secret_unreadable')
			return { status: 'rejected', detail: error.message }
		throw error
	}
}
