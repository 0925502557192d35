import { type Agent, canonicalUrl, connectorSlug, httpSecrets, providerOrigin } from '../../bundles/index.ts'

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
export function needsOf(agent: Pick<Agent, 'model' | 'requires' | 'http'>): Need[] {
	const { model } = agent
	const needs: Need[] = []
	if (model.provider !== 'platform') {
		needs.push({ name: 'provider', kind: 'provider', needed_by: model.provider, aud: providerOrigin(model) })
	}
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
