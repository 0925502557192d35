import { asksPlatform, modelKeys, providerOrigin } from '../../../bundles/index.ts'
import type { Egress } from '../../egress/index.ts'
import type { RuntimeCalls } from '../../wire/runtime-calls.ts'
import type { BundleCache } from '../engine/index.ts'
import { type Credentials, KeyError } from '../keys/index.ts'
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
	{ deployment, digest, credential }: { deployment: string; digest: string; credential: string },
): Promise<ReturnType<RuntimeCalls['provider.probe']>> {
	const { agent } = bundles.held(digest) ?? (await bundles.load(digest))
	const chosen = modelKeys(agent).find((one) => one.credential === credential)
	if (asksPlatform(agent) || !chosen) {
		return {
			status: 'rejected',
			detail: chosen
				? "Deployed agents run on their owner's key, not on the platform's provider."
				: `No model of the agent has the key ${credential}.`,
		}
	}
	try {
		const { payload } = await credentials.open(deployment, credential, providerOrigin(chosen.model))
		if (payload.kind !== 'provider') throw new TypeError('not the credential of a provider')
		const signal = AbortSignal.timeout(timeoutMs)
		return await probeProvider(chosen.model, { egress, apiKey: payload.apiKey.reveal(), signal, timeoutMs })
	} catch (error) {
		if (error instanceof KeyError && error.code !== 'secret_unreadable')
			return { status: 'rejected', detail: error.message }
		throw error
	}
}
