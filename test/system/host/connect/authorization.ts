import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { allowPages } from '../../../kit/cors.ts'
import { type McpServer, type McpServerOptions, startMcpServer } from '../../../kit/mcp-server.ts'

export interface AuthorizationServer {
	issuer: string
	/** Pages of any origin may read its answers; may be changed. */
	cors: boolean
	/** Scopes that it gives to nobody; may be changed. */
	withheld: string[]
	/** Between the names of scopes in its answers. */
	between: string
	/** What it says of itself; may be changed. */
	metadata: Record<string, unknown>
	/** What came in, by the path; a form or a query. */
	asked: { path: string; form: Record<string, string>; authorization: string | undefined }[]
	/** Scope of each token it has given. */
	tokens: Map<string, string>
	close(): Promise<void>
}

/** A scripted authorization server on loopback: everybody who comes is allowed what was asked for, at once. */
export async function startAuthorization(): Promise<AuthorizationServer> {
	const asked: AuthorizationServer['asked'] = []
	const tokens = new Map<string, string>()
	const scopes = new Map<string, string>()
	const withheld: string[] = []
	const state = {
		asked,
		tokens,
		withheld,
		between: ' ',
		cors: false,
		metadata: {} as Record<string, unknown>,
		issuer: '',
	}
	const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
		if (state.cors && allowPages(request, response)) return
		const { pathname: path, searchParams } = new URL(request.url ?? '/', state.issuer)
		const body = await readText(request)
		const form = Object.fromEntries(request.method === 'GET' ? searchParams : new URLSearchParams(body))
		asked.push({ path, form, authorization: request.headers.authorization })
		const answer = (status: number, value: object, headers: Record<string, string> = {}) =>
			response
				.writeHead(status, { 'content-type': 'application/json', ...headers })
				.end(JSON.stringify(value))
		if (path === '/.well-known/oauth-authorization-server') return answer(200, state.metadata)
		if (path === '/register') return answer(201, { client_id: 'registered' })
		if (path === '/authorize') {
			const code = `code-${asked.length}`
			const given = (form.scope ?? '').split(' ').filter((name) => !state.withheld.includes(name))
			scopes.set(code, given.join(' '))
			const back = new URL(form.redirect_uri ?? '')
			back.search = new URLSearchParams({ code, state: form.state ?? '', iss: state.issuer }).toString()
			return answer(302, {}, { location: back.href })
		}
		if (path !== '/token') return answer(404, {})
		const scope = scopes.get(form.code ?? form.refresh_token ?? '')
		if (scope === undefined) return answer(400, { error: 'invalid_grant' })
		const access_token = `access-${asked.length}-${new URL(state.issuer).port}`
		const refresh_token = `refresh-${access_token}`
		tokens.set(access_token, scope)
		scopes.set(refresh_token, scope)
		return answer(200, {
			token_type: 'Bearer',
			access_token,
			refresh_token,
			expires_in: 3600,
			scope: scope.replaceAll(' ', state.between),
		})
	}
	const server = createServer((request, response) => {
		serve(request, response).catch(() => response.destroy())
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	state.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	state.metadata = {
		issuer: state.issuer,
		authorization_endpoint: `${state.issuer}/authorize`,
		token_endpoint: `${state.issuer}/token`,
		registration_endpoint: `${state.issuer}/register`,
		code_challenge_methods_supported: ['S256'],
		authorization_response_iss_parameter_supported: true,
	}
	return Object.assign(state, {
		close: async () => {
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
		},
	})
}

/** A connector that takes the tokens of one such server, whichever it names just now. */
export async function startProtected(
	options: McpServerOptions = {},
): Promise<{ mcp: McpServer; server: AuthorizationServer; close(): Promise<void> }> {
	const all = { server: await startAuthorization() }
	const mcp = await startMcpServer({
		...options,
		token: (token) => all.server.tokens.has(token),
		scopeOf: (token) => all.server.tokens.get(token) ?? '',
	})
	mcp.options.resource = () => ({
		resource: mcp.url,
		authorization_servers: [all.server.issuer],
		scopes_supported: ['read'],
	})
	return Object.assign(all, {
		mcp,
		close: async () => {
			await Promise.all([mcp.close(), all.server.close()])
		},
	})
}

/** What a browser does there. */
export const allowAt = async (address: string) => {
	const { headers } = await fetch(address, { redirect: 'manual' })
	return fetch(headers.get('location') ?? '')
}
