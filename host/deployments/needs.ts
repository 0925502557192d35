import {
	type Agent,
	canonicalUrl,
	connectorSlug,
	httpSecrets,
	modelKeys,
	PROVIDER,
	providerOrigin,
} from '../../bundles/index.ts'

export interface Need {
	name: string
	kind: 'provider' | 'oauth' | 'bearer' | 'secret'
	needed_by: string
	aud: string
}

/**
 * The credentials an agent cannot run without, in the order the owner is asked for them
 * (spec deployment.dry-run-credentials).
 */
export function needsOf(agent: Pick<Agent, 'model' | 'models' | 'requires' | 'http'>): Need[] {
	const needs = modelKeys(agent).map(({ model, credential }): Need => {
		const aud = providerOrigin(model)
		// Of several compatible servers the provider's name says nothing.
		const own = credential === PROVIDER || aud === providerOrigin({ provider: model.provider })
		return { name: credential, kind: 'provider', needed_by: own ? model.provider : aud, aud }
	})
	const seen = new Set<string>()
	for (const { connector, auth } of agent.requires) {
		const aud = canonicalUrl(connector)
		if (auth === 'none' || seen.has(aud)) continue
		seen.add(aud)
		needs.push({ name: `connector:${connectorSlug(connector)}`, kind: auth, needed_by: aud, aud })
	}
	for (const { credential, origin } of httpSecrets(agent))
		needs.push({ name: credential, kind: 'secret', needed_by: origin, aud: origin })
	return needs
}
