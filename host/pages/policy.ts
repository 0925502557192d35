import { type Places, sourcesOf } from '../places/index.ts'
import type { Config } from '../settings/config.ts'

/**
 * What a page of the console may do: run and show our own files, and speak to this host and to deployments of
 * every place. No inline
 * script or style, nothing from elsewhere, no text that becomes script (Trusted Types).
 */
export function contentSecurityPolicy(
	{ BASE_URL }: Pick<Config, 'BASE_URL'>,
	places: Pick<Places, 'all'>,
): string {
	const own = new URL(BASE_URL).origin
	const others = places
		.all()
		.flatMap(sourcesOf)
		.filter((source) => source !== own)
	return policy(["'self'", ...new Set(others)].join(' '))
}

/**
 * The pop-up that signs in to a connector speaks to its authorization server itself, so that the tokens are sealed in the
 * browser and this host never sees them. Which server that is, the connector says.
 */
export function connectPolicy({ BASE_URL }: Pick<Config, 'BASE_URL'>): string {
	return policy(BASE_URL.startsWith('https:') ? "'self' https:" : "'self' https: http:")
}

const policy = (connect: string) =>
	[
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self'",
		`connect-src ${connect}`,
		"form-action 'self'",
		"frame-ancestors 'none'",
		"base-uri 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	].join('; ')
