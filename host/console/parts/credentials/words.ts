import { canonicalUrl } from '../../../../bundles/connector-url.ts'
import type { Credential } from '../../../owner/client/index.ts'
import type { Holder } from './upload.ts'

/** The entry of `requires` that a credential is for. */
export function requirementOf(
	{ agent }: Pick<Holder, 'agent'>,
	{ needed_by }: Pick<Credential, 'needed_by'>,
): { scopes: string[]; tools: string[] } {
	const found = agent.requires.find(({ connector }) => {
		try {
			return canonicalUrl(String(connector)) === needed_by
		} catch {
			return false
		}
	})
	return { scopes: texts(found?.scopes), tools: texts(found?.tools) }
}

const texts = (value: unknown): string[] =>
	Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** `GET, POST, in the header Authorization`: where the runtime puts a secret of `http` in. */
function methodsOf({ agent }: Pick<Holder, 'agent'>, { name, needed_by }: Credential): string {
	const { methods, headers } = agent.http[needed_by] ?? {}
	const own = Object.entries((headers ?? {}) as Record<string, unknown>).flatMap(([header, value]) =>
		new RegExp(`\\{\\{\\s*secret\\.${secretOf(name)}\\s*\\}\\}`).test(String(value)) ? [header] : [],
	)
	return `${texts(methods).join(', ')}, in the header ${own.join(' and ')}`
}

/** `mcp.example.com/mcp` of an address. */
export const placeOf = (url: string): string => url.replace(/^https?:\/\//, '')

/** Of the agent's models: `second` of `provider:second`. */
const keyOf = (credential: string) => credential.replace(/^provider:/, '')

/** As `agent.yaml` names it. */
const secretOf = (credential: string) => credential.replace(/^http:/, '')

export function titleOf({ name, kind, needed_by }: Pick<Credential, 'name' | 'kind' | 'needed_by'>): string {
	if (kind === 'provider')
		return name === 'provider' ? `Key for ${needed_by}` : `Key ${keyOf(name)} for ${placeOf(needed_by)}`
	if (kind === 'secret') return `Secret ${secretOf(name)} for ${placeOf(needed_by)}`
	return kind === 'bearer' ? `Token for ${placeOf(needed_by)}` : `Sign-in to ${placeOf(needed_by)}`
}

export function purposeOf(holder: Pick<Holder, 'agent'>, credential: Credential): string {
	if (credential.kind === 'provider')
		return credential.name === 'provider'
			? `Calls the model ${String(holder.agent.model.name)}.`
			: 'Calls other models of the agent.'
	if (credential.kind === 'secret')
		return `Goes with what the agent's programs ask there: ${methodsOf(holder, credential)}.`
	const { tools } = requirementOf(holder, credential)
	return tools.length === 0 ? 'Calls its tools.' : `Calls ${tools.join(', ')}.`
}
