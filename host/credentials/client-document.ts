import { isIP } from 'node:net'
import { z } from 'zod'
import { anyone } from '../http/operation.ts'
import type { App } from '../http/route.ts'

const ClientDocument = z.object({
	client_id: z.string(),
	client_name: z.string(),
	application_type: z.literal('native'),
	redirect_uris: z.array(z.string()),
	grant_types: z.array(z.string()),
	response_types: z.array(z.string()),
	token_endpoint_auth_method: z.literal('none'),
})

const path = '/oauth/client.json'
/** Names that no stranger's server can look up. */
const privateName = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/

/** What `berth connect` is at servers that read a client's own document instead of registering it. */
export function clientDocumentRoute(app: App, baseUrl: string): void {
	if (!isPublicOrigin(baseUrl)) return
	const document = {
		client_id: `${baseUrl}${path}`,
		client_name: 'Berth command line',
		application_type: 'native' as const,
		// Any port of it (RFC 8252 §7.3).
		redirect_uris: ['http://127.0.0.1/callback'],
		grant_types: ['authorization_code', 'refresh_token'],
		response_types: ['code'],
		token_endpoint_auth_method: 'none' as const,
	}
	const config = anyone('getClientDocument', 'Client metadata document of `berth connect`')
	app.get(path, { schema: { response: { 200: ClientDocument } }, config }, async () => document)
}

export function isPublicOrigin(url: string): boolean {
	const { protocol, hostname } = new URL(url)
	const named = hostname.includes('.') && isIP(hostname) === 0
	return protocol === 'https:' && named && !privateName.test(hostname)
}
