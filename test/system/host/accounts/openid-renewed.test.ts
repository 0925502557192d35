// A provider that changes its keys and endpoints, and a host whose clock jumps: sign-ins go on.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
	type OpenIdProvider,
	openProvider,
	UncheckedAnswer,
} from '../../../../host/accounts/openid/provider.ts'

const server = createServer()
const realNow = Date.now.bind(Date)
let issuer = ''
let key: CryptoKey
let shown: object
let tokenPath = '/token'
const nonces = new Map<string, string>()
let asked: string[] = []
let provider: OpenIdProvider

async function rotate(kid: string): Promise<void> {
	const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
	key = privateKey
	shown = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] }
	kidNow = kid
}
let kidNow = ''

server.on('request', async (request, response) => {
	const path = request.url ?? ''
	asked.push(path)
	const answer = (status: number, body: unknown) =>
		void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
	if (path === '/.well-known/openid-configuration')
		return answer(200, {
			issuer,
			authorization_endpoint: `${issuer}/authorize`,
			token_endpoint: issuer + tokenPath,
			jwks_uri: `${issuer}/keys`,
			response_types_supported: ['code'],
			id_token_signing_alg_values_supported: ['RS256'],
		})
	if (path === '/keys') return answer(200, shown)
	if (path !== tokenPath) return void response.writeHead(404, { 'content-type': 'text/html' }).end('gone')
	const code = new URLSearchParams(Buffer.concat(await request.toArray()).toString()).get('code') ?? ''
	const nonce = nonces.get(code)
	if (!nonces.delete(code)) return answer(400, { error: 'invalid_grant' })
	const now = Math.floor(realNow() / 1000)
	const id_token = await new SignJWT({ nonce, email: 'a@example.com', email_verified: true })
		.setProtectedHeader({ alg: 'RS256', kid: kidNow })
		.setIssuer(issuer)
		.setAudience('berth')
		.setSubject('s')
		.setIssuedAt(now)
		.setExpirationTime(now + 300)
		.sign(key)
	answer(200, { access_token: 'a', token_type: 'bearer', id_token })
})

beforeEach(async () => {
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	tokenPath = '/token'
	await rotate('one')
	provider = openProvider({
		BASE_URL: 'https://berth.example',
		EGRESS_ALLOW: [],
		OIDC_ISSUER: issuer,
		OIDC_CLIENT_ID: 'berth',
		OIDC_CLIENT_SECRET: '',
	})
	await signIn()
	asked = []
})
afterEach(async () => {
	vi.restoreAllMocks()
	await provider.close()
	server.closeAllConnections()
	await new Promise((closed) => server.close(closed))
})

let count = 0
async function signIn(code = `code ${count++}`) {
	const { checks } = await provider.begin()
	if (!code.startsWith('wrong')) nonces.set(code, checks.nonce)
	return provider.finish(new URLSearchParams({ state: checks.state, code }), checks)
}

const who = { subject: 's', email: 'a@example.com' }

// Proves: account.openid-renewed
test.each(['two', 'one'])(
	'a sign-in goes on with the key that the provider has now, named %s',
	async (kid) => {
		await rotate(kid)
		expect(await signIn()).toMatchObject(who)
		expect(asked).toEqual(['/token', '/.well-known/openid-configuration', '/keys'])
		expect(await signIn()).toMatchObject(who)
		expect(asked.slice(3)).toEqual(['/token'])
	},
)

// Proves: account.openid-renewed
test('a sign-in goes on at the token endpoint that the provider has now', async () => {
	tokenPath = '/token/v2'
	expect(await signIn()).toMatchObject(who)
	expect(asked.slice(0, 3)).toEqual(['/token', '/.well-known/openid-configuration', '/token/v2'])
})

// Proves: account.openid-renewed
test('answers that never hold make the host ask again five times a minute at most, and a wrong code never', async () => {
	for (let i = 0; i < 3; i++) await expect(signIn('wrong')).rejects.toMatchObject({ status: 400 })
	expect(asked).toEqual(['/token', '/token', '/token'])
	const { privateKey } = await generateKeyPair('RS256')
	key = privateKey
	for (let i = 0; i < 8; i++) await expect(signIn()).rejects.toThrow(UncheckedAnswer)
	expect(asked.filter((path) => path.startsWith('/.well-known')).length).toBe(5)
})

// Proves: account.openid-clock
test('a sign-in is judged by the time of the database at that moment, whatever the clock of the host says', async () => {
	const { setSharedNow, machineMs } = await import('../../../../runtime/lib/clock.ts')
	const at = machineMs()
	setSharedNow(realNow(), at, at)
	vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 7_200_000)
	expect(await signIn()).toMatchObject(who)
})
