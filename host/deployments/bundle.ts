import { type Agent, asksPlatform, defaultFaults, defaultLimits } from '../../bundles/index.ts'
import { Problem } from '../http/errors.ts'
import { type CeilingSettings, runCeilings } from '../settings/config.ts'
import { allAtOnce, invalid } from './invalid.ts'
import type { BundleParts } from './parts.ts'
import { openWhole, requirePrograms } from './programs.ts'
import type { OpenedBundle, Upload } from './upload.ts'

/**
 * A bundle that this host runs, or the reason why not, before anything is created
 * (spec deployment.invalid-bundle-refused).
 */
export async function acceptBundle(
	parts: BundleParts,
	accountId: string,
	upload: Upload,
): Promise<OpenedBundle> {
	const bundle = await openWhole(parts, accountId, upload)
	await allAtOnce([
		() => requireDefaults(bundle.agent),
		() => requireCeilings(parts.config, bundle.agent),
		() => requirePrograms(parts, accountId, bundle),
	])
	refusePlatform(bundle.agent)
	return bundle
}

/** Deployed agents never spend platform credits (spec deployment.platform-provider). */
export function refusePlatform(agent: Agent): void {
	if (!asksPlatform(agent)) return
	throw new Problem(
		'platform_provider_refused',
		'A deployed agent runs on your own provider key: set `provider` of each model in agent.yaml to openai or anthropic and build the bundle again.',
	)
}

/**
 * limits stand under the host's own ceiling (spec deployment.ceilings). Ceilings lowered later are the runtime's to
 * hold, and those under what an agent has that sets nothing: its owner has asked for no more than there is.
 */
export function requireCeilings(config: CeilingSettings, agent: Agent): void {
	const asked = (name: string) => {
		const limit = agent.limits[name as keyof Agent['limits']]
		return limit === defaultLimits[name as keyof typeof defaultLimits] ? undefined : limit
	}
	const faults = Object.entries(runCeilings(config))
		.filter(([name, ceiling]) => (asked(name) ?? 0) > (ceiling ?? Infinity))
		.map(([name, ceiling]) => ({
			path: `agent.yaml#/limits/${name}`,
			message: `agent.yaml /limits/${name}: is over this host’s ceiling of ${ceiling}`,
		}))
	if (faults.length > 0) throw invalid(faults)
}

/** A default that does not fit its own schema would have every run without that input refused. */
export async function requireDefaults({ inputs }: Agent): Promise<void> {
	const faults = (await defaultFaults(inputs)).map(({ path, message }) => {
		const pointer = `/${['inputs', ...path].join('/')}`
		return { path: `agent.yaml#${pointer}`, message: `agent.yaml ${pointer}: ${message}` }
	})
	if (faults.length > 0) throw invalid(faults)
}
