// The guard's addresses (RFC 6749, 7009, 7591, 7592, 8414, 9728). Their room has no zod schemas and knows no host.

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (description: string, schema: object) => ({
	description,
	content: { 'application/json': { schema } },
})
const text = { type: 'string' }
const object = { type: 'object', additionalProperties: true }
const open: never[] = []

const refused = json('What is wrong, as OAuth says it', ref('OAuthError'))
const challenged = {
	...refused,
	headers: { 'WWW-Authenticate': { description: 'Where to sign in, and for which scope', schema: text } },
}
const form = (properties: Record<string, object>, required: string[]) => ({
	required: true,
	content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties, required } } },
})
const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, text]))
const query = (names: string[], required: string[]) =>
	names.map((name) => ({ name, in: 'query', required: required.includes(name), schema: text }))

const metadata = (operationId: string, summary: string) => ({
	get: {
		operationId,
		summary,
		security: open,
		responses: { 200: json('The document', object), 400: { $ref: '#/components/responses/malformed' } },
	},
})

const client = { required: true, content: { 'application/json': { schema: ref('OAuthClient') } } }
const byClient = [{ name: 'id', in: 'path', required: true, schema: text }]
const registered = (operationId: string, summary: string, more: object = {}) => ({
	operationId,
	summary,
	security: [{ registration: [] }],
	parameters: byClient,
	...more,
})

export const connectorPaths = {
	'/mcp': {
		post: {
			operationId: 'callMcp',
			summary: 'The guard as an MCP server (Streamable HTTP): one JSON-RPC message',
			security: [{ mcp: [] }],
			requestBody: { required: true, content: { 'application/json': { schema: object } } },
			responses: {
				200: {
					description: 'The answer',
					content: { 'application/json': { schema: object }, 'text/event-stream': { schema: text } },
				},
				202: { description: 'A notification was taken' },
				400: json('No JSON-RPC in UTF-8, or no request of this protocol', object),
				401: challenged,
				403: {
					description:
						'The token lacks a scope, or the `Origin` or `Host` is not allowed (JSON-RPC, no challenge)',
					headers: challenged.headers,
					content: { 'application/json': { schema: { anyOf: [ref('OAuthError'), object] } } },
				},
				413: json('The body is over 16 MiB', object),
				415: json('The body has a Content-Encoding', object),
			},
		},
	},
	'/authorize': {
		get: {
			operationId: 'authorize',
			summary: 'Begin a sign-in in a browser (authorization code with PKCE S256)',
			security: open,
			parameters: query(
				['client_id', 'redirect_uri', 'response_type', 'code_challenge', 'code_challenge_method'].concat([
					'scope',
					'resource',
					'state',
					'prompt',
					'login_hint',
				]),
				['client_id', 'response_type', 'code_challenge', 'code_challenge_method'],
			),
			responses: {
				303: { description: 'To the sign-in, or back to the client with `code` or `error`' },
				400: { description: 'A page that says what is wrong', content: { 'text/html': { schema: text } } },
			},
		},
	},
	'/token': {
		post: {
			operationId: 'exchangeToken',
			summary: 'Exchange an authorization code, a device code or a refresh token for tokens',
			security: open,
			requestBody: form(
				fields(
					'grant_type',
					'code',
					'redirect_uri',
					'code_verifier',
					'refresh_token',
					'device_code',
					'client_id',
					'client_secret',
					'resource',
				),
				['grant_type'],
			),
			responses: { 200: json('The tokens', ref('OAuthTokens')), 400: refused, 401: refused, 415: refused },
		},
	},
	'/device_authorization': {
		post: {
			operationId: 'authorizeDevice',
			summary: 'Begin a sign-in by a code that a person enters at `/device`',
			security: open,
			requestBody: form(fields('client_id', 'client_secret', 'resource', 'scope'), ['client_id']),
			responses: { 200: json('The codes', object), 400: refused, 401: refused, 429: refused, 415: refused },
		},
	},
	'/revoke': {
		post: {
			operationId: 'revokeOAuthToken',
			summary: 'Revoke an access or refresh token',
			security: open,
			requestBody: form(fields('token', 'token_type_hint', 'client_id', 'client_secret'), ['token']),
			responses: { 200: { description: 'It is valid no more' }, 400: refused, 401: refused, 415: refused },
		},
	},
	'/register': {
		post: {
			operationId: 'registerClient',
			summary: 'Register a client',
			security: open,
			requestBody: client,
			responses: {
				201: json('The client', ref('OAuthClient')),
				...{ 400: refused, 413: refused, 415: refused, 429: refused },
			},
		},
	},
	'/register/{id}': {
		get: registered('getClient', 'Read a registered client', {
			responses: { 200: json('The client', ref('OAuthClient')), 401: refused },
		}),
		put: registered('replaceClient', 'Replace a registered client’s metadata', {
			requestBody: client,
			responses: { 200: json('The client', ref('OAuthClient')), 400: refused, 401: refused, 415: refused },
		}),
		delete: registered('deleteClient', 'Delete a registered client', {
			responses: { 204: { description: 'It is gone' }, 401: refused },
		}),
	},
	'/.well-known/oauth-protected-resource/mcp': metadata('getMcpResource', 'Metadata of the resource `/mcp`'),
	'/.well-known/oauth-protected-resource/v1': metadata(
		'getAccountResource',
		'Metadata of the resource `/v1`',
	),
	'/.well-known/oauth-authorization-server': metadata(
		'getAuthorizationServer',
		'Metadata of the authorization server',
	),
}

export const connectorSchemas = {
	OAuthError: {
		type: 'object',
		properties: { error: text, error_description: text, scope: text },
		required: ['error'],
	},
	OAuthTokens: {
		type: 'object',
		properties: {
			...fields('access_token', 'token_type', 'refresh_token', 'scope'),
			expires_in: { type: 'integer' },
		},
		required: ['access_token', 'token_type', 'expires_in'],
	},
	OAuthClient: {
		type: 'object',
		properties: {
			...fields('client_id', 'client_secret', 'client_name', 'scope', 'token_endpoint_auth_method'),
			...fields('registration_client_uri', 'registration_access_token'),
			redirect_uris: { type: 'array', items: text },
			grant_types: { type: 'array', items: text },
			response_types: { type: 'array', items: text },
		},
		additionalProperties: true,
	},
}

/** Steps of a sign-in that a browser is led through, and their style. */
const pages = /^\/(authorize\/:uid|interaction\/:uid(\/\w+)?|[\w./-]+\.css)$/

/** A slash at the end makes it no other address. */
export const isConnectors = (url: string) =>
	url.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '') in connectorPaths || pages.test(url)
