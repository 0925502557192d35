import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { exchange } from '../../../../host/owner/client/oauth.ts'

// Proves: connect.token-answer
test.each([
	[
		200,
		'text/html',
		'<html>sk-secret</html>',
		'answered 200 with text/html that is no JSON; ask who runs it',
	],
	[200, 'application/json', '{"token":"sk-secret"}', 'answered 200 with JSON that has no access_token'],
	[
		400,
		'application/json',
		'{"error":"invalid_grant","error_description":"sk-secret"}',
		'answered 400: invalid_grant',
	],
	[502, 'weird sk-secret', 'sk-secret', 'answered 502 with something that is no JSON'],
])('a token endpoint that answers %i %s %s is named with what came', async (status, type, body, told) => {
	const server = createServer((_request, response) =>
		response.writeHead(status, { 'content-type': type }).end(body),
	)
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	onTestFinished(() => void server.close())
	const { port } = server.address() as AddressInfo
	const client = { client_id: 'c', token_endpoint_auth_method: 'none' }
	const { message } = (await exchange(`http://127.0.0.1:${port}/token`, client, {}).catch(
		(error: Error) => error as Error,
	)) as Error
	expect(message).toContain(`the token endpoint at 127.0.0.1:${port} ${told}`)
	expect(message).not.toContain('sk-secret')
})
