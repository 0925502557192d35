import type { ConnectorDeps } from '../deps.ts'
import { clientMetadata } from './clients.ts'
import { registrationFault } from './refusals.ts'

/** Client ID Metadata Documents: through the host's guarded fetch, and read with the tolerance of a registration. */
export async function fetchDocument(
	{ fetch }: ConnectorDeps,
	url: string | URL | Request,
	options: RequestInit = {},
) {
	// The dispatcher is the library's own address check; the host's is stricter and checks what it connects to.
	const { dispatcher: _, ...rest } = options as RequestInit & { dispatcher?: unknown }
	const response = await fetch(url as string, { ...rest, redirect: 'manual' })
	if (response.status !== 200) return response
	const document = await boundedJson(response)
	if (!document || registrationFault(document)) return new Response('', { status: 502 })
	const { client_id, client_secret, client_secret_expires_at } = document
	const patched = {
		token_endpoint_auth_method: 'none',
		...clientMetadata(document),
		client_id,
		...(client_secret !== undefined && { client_secret }),
		...(client_secret_expires_at !== undefined && { client_secret_expires_at }),
	}
	const headers = {
		'content-type': 'application/json',
		'cache-control': response.headers.get('cache-control') ?? '',
	}
	return new Response(JSON.stringify(patched), { headers })
}

const documentLimitBytes = 64 * 1024

async function boundedJson(response: Response): Promise<Record<string, unknown> | null> {
	const chunks: Uint8Array[] = []
	let length = 0
	for await (const chunk of response.body ?? []) {
		length += chunk.length
		if (length > documentLimitBytes) return null
		chunks.push(chunk)
	}
	try {
		const value = JSON.parse(Buffer.concat(chunks).toString('utf8'))
		return typeof value === 'object' && !Array.isArray(value) ? value : null
	} catch {
		return null
	}
}
