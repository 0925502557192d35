import type { ConnectorDeps } from '../deps.ts'
import { clientMetadata } from './clients.ts'
import { registrationFault } from './refusals.ts'

// Client ID Metadata Documents: a client's identifier is the address of its registration. They are fetched through the
// host's guarded fetch and read with the tolerance of a registration.

const documentLimitBytes = 64 * 1024
/** After a document that could not be reached; doubled with each that follows. */
const firstPauseMs = 5 * 60_000
const longestPauseMs = 24 * 3600_000

export interface Documents {
	/** Whether clients are told that they may use one. */
	announced(): boolean
	fetch(url: string | URL | Request, options?: RequestInit): Promise<Response>
	/** An error of the authorization server in words for the person, where a document is to blame. */
	explain(clientId: unknown, error: unknown): string | null
}

/** Its message is for the person at the page. */
class DocumentError extends Error {}

export function openDocuments(deps: ConnectorDeps): Documents {
	const { clientMetadata: mode, log } = deps
	const reach = openReach(deps)
	const report = (url: string, reason: string) =>
		log.warn({ document: shown(url), reason }, 'a client’s metadata document could not be used')

	return {
		announced: () => mode === 'on' || (mode === 'auto' && reach.likely()),

		fetch: async (given, options = {}) => {
			const url = String(given instanceof Request ? given.url : given)
			let answer: Awaited<ReturnType<typeof read>>
			try {
				answer = await read(deps.fetch, url, options)
				reach.answered()
			} catch (error) {
				reach.failed()
				report(url, (error as Error).message)
				const instead = mode === 'auto' ? ' The app can register instead.' : ''
				throw new DocumentError(
					`This server could not reach ${new URL(url).host}, where the app keeps its metadata document.${instead}`,
				)
			}
			const { response, body } = answer
			const document = parse(body)
			const fault =
				response.status === 200 ? faultOf(document, url) : `It answered ${response.status}, not 200.`
			if (fault === null && document) return patched(document, response)
			report(url, fault ?? '')
			throw new DocumentError(`The app’s metadata document, ${shown(url)}, cannot be used. ${fault}`)
		},

		explain: (clientId, error) => {
			if (typeof clientId !== 'string' || !/^https:/i.test(clientId)) return null
			if (mode === 'off') {
				report(clientId, 'GUARD_CLIENT_METADATA=off')
				return 'This server takes no client metadata documents. The app must register instead.'
			}
			const { cause, error_description } = error as { cause?: unknown; error_description?: unknown }
			if (cause instanceof DocumentError) return cause.message
			// Found by the library, after the fetch.
			if (/^Invalid(Client|RedirectUri)/.test((error as Error).name))
				report(clientId, String(error_description))
			return null
		},
	}
}

/** Whether documents can be fetched, from what is known without asking anybody. */
function openReach({ online, clock }: ConnectorDeps) {
	const now = () => (clock ? clock() : Date.now())
	let failures = 0
	let pausedUntil = 0
	return {
		likely: () => now() >= pausedUntil && online(),
		failed: () => {
			if (now() < pausedUntil) return
			pausedUntil = now() + Math.min(firstPauseMs * 2 ** failures, longestPauseMs)
			failures++
		},
		answered: () => {
			failures = 0
			pausedUntil = 0
		},
	}
}

/** Throws where the network is to blame. The body is null where it is too long. */
async function read(fetch: ConnectorDeps['fetch'], url: string, options: RequestInit) {
	// The dispatcher is the library's own address check; the host's is stricter and checks what it connects to.
	const { dispatcher: _, ...rest } = options as RequestInit & { dispatcher?: unknown }
	const response = await fetch(url, { ...rest, redirect: 'manual' })
	const chunks: Uint8Array[] = []
	let length = 0
	for await (const chunk of response.body ?? []) {
		length += chunk.length
		if (length > documentLimitBytes) return { response, body: null }
		chunks.push(chunk)
	}
	return { response, body: Buffer.concat(chunks) }
}

function parse(body: Buffer | null): Record<string, unknown> | null {
	try {
		const value = JSON.parse(body?.toString('utf8') ?? '')
		return typeof value === 'object' && !Array.isArray(value) ? value : null
	} catch {
		return null
	}
}

function faultOf(document: Record<string, unknown> | null, url: string): string | null {
	if (!document) return 'It is no JSON object of at most 64 KiB.'
	const fault = registrationFault(document)
	if (fault) return `In it, ${fault.error_description}.`
	if (document.client_id !== url) return 'Its client_id is not its own address.'
	const { token_endpoint_auth_method: method } = document
	if (typeof method === 'string' && method.startsWith('client_secret'))
		return 'Its token_endpoint_auth_method needs a shared secret, which a public document cannot have.'
	return null
}

/** As a registration is kept. */
function patched(document: Record<string, unknown>, response: Response): Response {
	const { client_id, client_secret, client_secret_expires_at } = document
	const kept = {
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
	return new Response(JSON.stringify(kept), { headers })
}

/** Without its query, which is not for the log. */
function shown(url: string): string {
	return url.replace(/[?#].*$/s, '').slice(0, 200)
}
