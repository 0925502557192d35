import {
	type Agent,
	HTTP_RESPONSE_KB,
	HTTP_SECONDS,
	HTTP_SECRET,
	httpSecrets,
} from '../../../bundles/index.ts'

/** An origin as `agent.yaml` declares it. */
export interface HttpOrigin {
	origin: string
	methods: ReadonlySet<string>
	/** It takes an `Idempotency-Key`. */
	idempotent: boolean
	timeoutMs: number
	maxBytes: number
	/** Names in lower case; secrets in the values are still names. */
	headers: { name: string; value: string }[]
	/** What stands in them. */
	secrets: { name: string; credential: string }[]
}

export type HttpOrigins = ReadonlyMap<string, HttpOrigin>

export function httpOriginsOf({ http = {} }: Pick<Agent, 'http'>): HttpOrigins {
	const secrets = httpSecrets({ http })
	return new Map(
		Object.entries(http).map(([origin, settings]) => [
			origin,
			{
				origin,
				methods: new Set<string>(settings.methods),
				idempotent: settings.idempotent === true,
				timeoutMs: (settings.timeout_seconds ?? HTTP_SECONDS) * 1000,
				maxBytes: (settings.max_response_kb ?? HTTP_RESPONSE_KB) * 1024,
				headers: Object.entries(settings.headers ?? {}).map(([name, value]) => ({
					name: name.toLowerCase(),
					value,
				})),
				secrets: secrets.filter((secret) => secret.origin === origin),
			},
		]),
	)
}

/** The headers with their secrets in them. */
export function headersWith(
	{ headers }: HttpOrigin,
	values: ReadonlyMap<string, string>,
): Record<string, string> {
	const filled = headers.map(({ name, value }) => [
		name,
		value.replace(HTTP_SECRET, (_, secret: string) => values.get(secret) ?? ''),
	])
	return Object.fromEntries(filled)
}
