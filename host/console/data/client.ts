import { ApiError, createClient } from '../../owner/client/index.ts'
import { heardTime, hostNow } from './clock.ts'
import { heardHost, lostHost, sessionOver } from './line.ts'
import { sameAccount } from './whose.ts'

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

interface Held {
	token: string
	expires_at: string
}
let token: Promise<Held> | undefined

/** In memory alone: it is never stored, and ends with the session. Calls that need one at a time share it. */
async function held(): Promise<Held> {
	const asked = token
	const kept = await asked?.catch(() => undefined)
	if (kept && Date.parse(kept.expires_at) - marginMs > hostNow()) return kept
	if (token === asked) token = client.account.consoleToken()
	return token ?? held()
}

/** Tells of a session that is over and of a host that cannot be reached, once for all calls of a page. */
async function watched(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
	await sameAccount()
	try {
		const answer = await fetch(input, init)
		heardHost()
		heardTime(answer.headers.get('date'))
		if (answer.status !== 401) return answer
		if (!String(input).startsWith(api)) return await again(input, init, answer)
		token = undefined
		sessionOver()
		return answer
	} catch (error) {
		if (error instanceof TypeError) lostHost()
		throw error
	}
}

/** A token that is over was refused before anything happened: the call is made once more, with a new one. */
async function again(input: RequestInfo | URL, init: RequestInit = {}, refused: Response) {
	const headers = new Headers(init.headers)
	const sent = headers.get('authorization')
	const kept = await token?.catch(() => undefined)
	if (kept && sent === `Bearer ${kept.token}`) token = undefined
	const fresh = await held().catch(() => undefined)
	if (!fresh) return refused
	headers.set('authorization', `Bearer ${fresh.token}`)
	return fetch(input, { ...init, headers })
}

/** The sentence to show for whatever a call threw. */
export function reasonOf(error: unknown): string {
	if (error instanceof ApiError) return error.message
	return error instanceof Error ? error.message : String(error)
}
