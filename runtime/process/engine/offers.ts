import type { ToolOffer } from '../../wire/connectors.ts'
import type { RuntimeCalls } from '../../wire/runtime-calls.ts'
import { ConnectorError } from '../connectors/index.ts'
import type { BundleCache, Connector } from './bundle-cache.ts'
import { targetFor } from './connector.ts'
import { changedTools, definitionOf } from './lock.ts'
import type { Services } from './services.ts'

const LISTING_MS = 15_000

/** Asks every connector of a bundle what it offers now, and locks what has no lock yet. */
export async function offersOf(
	services: Services,
	bundles: BundleCache,
	{ deployment, digest }: { deployment: string; digest: string },
): Promise<ReturnType<RuntimeCalls['tools.offered']>> {
	const { connectors } = bundles.held(digest) ?? (await bundles.load(digest))
	return {
		offers: await Promise.all(connectors.map((connector) => offerOf(services, deployment, connector))),
	}
}

async function offerOf(services: Services, deployment: string, connector: Connector): Promise<ToolOffer> {
	const { url, credential, tools: wanted } = connector
	const failed = (code: string, message: string) => ({
		connector: url,
		tools: [],
		missing: [],
		error: { code, message },
	})
	if (credential !== null && services.credentials.version(deployment, credential) === 0)
		return failed('connector_not_connected', `${url} has no sign-in yet.`)
	try {
		const target = targetFor(services, deployment, connector, () => undefined)
		const signal = AbortSignal.timeout(LISTING_MS)
		const bounds = { signal, timeoutMs: LISTING_MS, refresh: true }
		const { tools, missing } = await services.connectors.list(target, wanted, bounds)
		await changedTools(services, deployment, url, tools)
		const locks = services.credentials.locks(deployment, url)
		const defined = tools.map((tool) => definitionOf(services, url, tool, locks[tool.name]))
		return { connector: url, tools: defined, missing, error: null }
	} catch (error) {
		if (error instanceof ConnectorError) {
			const { code, message, said } = error
			// The owner alone asks what is offered.
			return failed(code, said ? `${message}. ${said}` : message)
		}
		if ((error as Error).name === 'TimeoutError')
			return failed('connector_unavailable', `${url} did not answer in time.`)
		throw error
	}
}
