import { ApiError, createClient } from '../../owner/client/index.ts'
import { heardHost, lostHost, sessionOver } from './line.ts'

/** Of the API, which the browser sends its session cookie to. No cookie is read at a deployment's address. */
const api = `${location.origin}/v1/`
/** Before its end a token is replaced. */
const marginMs = 60_000

/** What every page calls the host with. */
export const client = createClient({
	baseUrl: location.origin,
	token: async (url) => (url.startsWith(api) ? undefined : (await held()).token),
	fetch: watched,
})

let token: Promise<{ token: string; expires_at: string }> | undefined

/** In memory alone: it is never stored, and ends with the session. */
async function held() {
	const kept = await token?.catch(() => undefined)
	if (kept && Date.parse(kept.expires_at) - marginMs > Date.now()) return kept
	token = client.account.consoleToken()
	return token
}

/** Tells of a session that is over and of a host that cannot be reached, once for all calls of a page. */
async function watched(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
	try {
		const answer = await fetch(input, init)
		heardHost()
		if (answer.status === 401) {
			token = undefined
			if (String(input).startsWith(api)) sessionOver()
		}
		return answer
	} catch (error) {
		if (error instanceof TypeError) lostHost()
		throw error
	}
}

/** The sentence to show for whatever a call threw. */
export function reasonOf(error: unknown): string {
	if (error instanceof ApiError) return error.message
	return error instanceof Error ? error.message : String(error)
}
