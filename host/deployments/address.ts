import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const suffixLetters = 8
const nameLettersMax = 40

/** The name's letters plus 40 random bits: never reused, never guessed from the name. */
export function newSlug(name: string): string {
	const plain = name
		.normalize('NFKD')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.slice(0, nameLettersMax)
		.replace(/^-+|-+$/g, '')
	const random = Array.from(randomBytes(suffixLetters), (byte) => alphabet[byte & 31]).join('')
	return `${plain || 'agent'}-${random}`
}

/**
 * For Fastify's `rewriteUrl`: what is asked of `{slug}.{DEPLOYMENT_DOMAIN}` is asked of `/d/{slug}`, all of it, so that
 * no other part of this host answers under a deployment's name.
 */
export function deploymentRewrite(
	domain: string,
): ((request: { url?: string; headers: { host?: string } }) => string) | undefined {
	if (!domain) return undefined
	const ending = `.${domain.toLowerCase()}`
	return ({ url = '/', headers }) => {
		const host = headers.host?.toLowerCase() ?? ''
		if (!host.endsWith(ending)) return url
		const slug = host.slice(0, -ending.length)
		return `/d/${encodeURIComponent(slug)}${url === '/' ? '' : url}`
	}
}
