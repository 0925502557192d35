import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { type McpServer, type McpServerOptions, startMcpServer } from '../../../kit/mcp-server.ts'

// What stands at the other end of a sign-in: a token endpoint to be stalled, and a connector that takes its tokens.

export interface TokenEndpoint {
	url: string
	port: number
	/** Refreshes that came in, by their form. */
	asked: URLSearchParams[]
	/** Awaited before a request is read on, and before its answer leaves. */
	before: () => Promise<unknown> | unknown
	after: () => Promise<unknown> | unknown
	close(): Promise<void>
}

type Answer = { status: number; body: object; headers?: Record<string, string> }

async function startEndpoint(answer: (form: string) => Promise<Answer>): Promise<TokenEndpoint> {
	const endpoint = { asked: [] as URLSearchParams[], before: () => {}, after: () => {} }
	const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
		const form = await readText(incoming)
		endpoint.asked.push(new URLSearchParams(form))
		await endpoint.before()
		const { status, body, headers } = await answer(form)
		await endpoint.after()
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
	}
	const server = createServer((incoming, response) => {
		serve(incoming, response).catch(() => response.destroy())
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	return Object.assign(endpoint, {
		url: `http://127.0.0.1:${port}/token`,
		port,
		close: async () => {
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
		},
	})
}

/** Hands every refresh on to a real authorization server, at the moment the test says. */
export const stallingProxy = (target: string) =>
	startEndpoint(
		(form) =>
			new Promise((resolve, reject) => {
				const headers = { 'content-type': 'application/x-www-form-urlencoded' }
				const sent = request(target, { method: 'POST', headers }, async (answer) => {
					resolve({ status: answer.statusCode ?? 0, body: JSON.parse(await readText(answer)) })
				})
				sent.on('error', reject).end(form)
			}),
	)

export interface Connector {
	mcp: McpServer
	tokens: TokenEndpoint
	/** In place of a new token. */
	refusal: Answer | undefined
	/** A sign-in it has given; its token lasts `ms`. */
	signIn(ms: number): Record<string, unknown>
	close(): Promise<void>
}

/** A connector whose server takes only the newest token it gave. */
export async function startConnector(options: McpServerOptions = {}): Promise<Connector> {
	const mcp = await startMcpServer({ token: 'access-0', ...options })
	let count = 0
	const connector = { refusal: undefined as Answer | undefined }
	const tokens = await startEndpoint(async () => {
		if (connector.refusal) return connector.refusal
		count++
		mcp.options.token = `access-${count}`
		const body = { access_token: `access-${count}`, refresh_token: `refresh-${count}`, expires_in: 3600 }
		return { status: 200, body: { token_type: 'Bearer', ...body } }
	})
	return Object.assign(connector, {
		mcp,
		tokens,
		signIn: (ms: number) => ({
			type: 'oauth',
			access_token: `access-${count}`,
			refresh_token: `refresh-${count}`,
			expires_at: Date.now() + ms,
			token_endpoint: tokens.url,
			client_id: 'client',
			issuer: 'http://issuer.example',
			resource: mcp.url,
			scope: '',
		}),
		close: async () => {
			await Promise.all([mcp.close(), tokens.close()])
		},
	})
}
