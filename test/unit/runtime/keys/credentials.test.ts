import { CompactEncrypt, importJWK } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import {
	createCredentials,
	createSealingKey,
	createWrapper,
	openSealed,
	openSealingKey,
} from '../../../../runtime/process/keys/index.ts'

// A credential is bound to key, deployment, name and address, and the address is compared before each use.

const keys = createWrapper(Buffer.alloc(32, 7))
const aud = 'https://api.example.com'
let sealing: Awaited<ReturnType<typeof createSealingKey>>
beforeAll(async () => {
	sealing = await createSealingKey(keys, 'dep_1')
})

async function seal(
	changes: Record<string, unknown> = {},
	payload: unknown = { api_key: 'sk-marked' },
	jwk = sealing.jwk,
) {
	const header = {
		alg: 'ECDH-ES',
		enc: 'A256GCM',
		kid: sealing.kid,
		dep: 'dep_1',
		cred: 'provider',
		aud,
		...changes,
	}
	const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
	return new CompactEncrypt(Buffer.from(text))
		.setProtectedHeader(header as never)
		.encrypt(await importJWK(jwk, 'ECDH-ES'))
}
const open = (jwe: string, name = 'provider') =>
	openSealed(jwe, sealing.kid, openSealingKey(keys, 'dep_1', sealing), { deployment: 'dep_1', name, aud })
const state = (credentials: { name: string; version: number; jwe: string }[], rev = 1) => ({
	id: 'dep_1',
	rev,
	sealing: { kid: sealing.kid, wrapped: sealing.wrapped },
	credentials,
})

// Proves: credential.sealing-key
test('a sealing key is public only in its JWK, and its wrapped half belongs to one deployment and key id', () => {
	expect(Object.keys(sealing.jwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
	expect(sealing.jwk).toMatchObject({ kty: 'OKP', crv: 'X25519', kid: sealing.kid })
	expect(() => openSealingKey(keys, 'dep_2', sealing)).toThrow()
	expect(() => openSealingKey(keys, 'dep_1', { ...sealing, kid: 'other' })).toThrow()
})

// Proves: credential.jwe
test('a provider key, a bearer token and OAuth tokens open with their kind', async () => {
	const name = 'connector:tools-example-com-mcp'
	const provider = await open(await seal())
	expect(provider.kind === 'provider' && provider.apiKey.reveal()).toBe('sk-marked')
	expect(await open(await seal({ cred: name }, { token: 't1' }), name)).toMatchObject({ kind: 'bearer' })
	const oauth = { access_token: 'a', refresh_token: 'r', expires_at: 5, issuer: 'https://as.example.com' }
	const opened = await open(await seal({ cred: name }, oauth), name)
	expect(opened).toMatchObject({ kind: 'oauth', grant: { expiresAt: 5 } })
})

// Proves: credential.bound, credential.sealed-elsewhere-refused
test.each([
	['sealed for another deployment', { dep: 'dep_2' }, /another deployment/],
	['sealed as another credential', { cred: 'connector:x' }, /another credential/],
	['sealed for another address', { aud: 'https://evil.example.com' }, /another address/],
	['naming another key', { kid: 'nobody' }, /another key/],
	['encrypted otherwise', { enc: 'A128GCM' }, /ECDH-ES and A256GCM/],
	['wrapped otherwise', { alg: 'ECDH-ES+A256KW' }, /ECDH-ES and A256GCM/],
])('a credential %s is rejected with the reason', async (_, header, reason) => {
	const error = await open(await seal(header)).catch((e) => e)
	expect(error).toMatchObject({ code: 'credential_rejected' })
	expect(error.message).toMatch(reason)
})

test.each([
	['no JSON', 'sk-plain', /not JSON/],
	['no object', '["sk"]', /not a JSON object/],
	['no key', { key: 'sk' }, /no `api_key`/],
	['an empty key', { api_key: '' }, /no `api_key`/],
	['a key with a line break', { api_key: 'sk\r\nX-Evil: 1' }, /line break/],
])('a credential with %s inside is rejected without showing it', async (_, payload, reason) => {
	const error = await open(await seal({}, payload)).catch((e) => e)
	expect(error).toMatchObject({ code: 'credential_rejected', message: expect.stringMatching(reason) })
	expect(error.message).not.toContain('sk')
})

// Proves: credential.sealed-elsewhere-refused
test('a credential sealed to another key, altered or garbage is rejected', async () => {
	const other = await createSealingKey(keys, 'dep_1')
	const jwe = await seal()
	const parts = jwe.split('.')
	parts[3] = `${parts[3]?.startsWith('A') ? 'B' : 'A'}${parts[3]?.slice(1)}`
	for (const bad of [await seal({}, undefined, other.jwk), parts.join('.'), '', 'garbage', `${jwe}.x`]) {
		await expect(open(bad)).rejects.toMatchObject({ code: 'credential_rejected' })
	}
})

// Proves: credential.checked-each-use
test('an address is compared before each use, also of a credential that is open already', async () => {
	const credentials = createCredentials(keys)
	credentials.put(state([{ name: 'provider', version: 1, jwe: await seal() }]))
	const first = await credentials.open('dep_1', 'provider', aud)
	expect(await credentials.open('dep_1', 'provider', aud)).toBe(first)
	await expect(credentials.open('dep_1', 'provider', 'https://evil.example.com')).rejects.toMatchObject({
		code: 'credential_rejected',
	})
	expect(await credentials.open('dep_1', 'provider', aud)).toBe(first)
})

// Proves: credential.replaced-next-call
test('a replaced credential is used at once, an older state is ignored, and a dropped deployment has none', async () => {
	const credentials = createCredentials(keys)
	credentials.put(state([{ name: 'provider', version: 1, jwe: await seal() }]))
	expect((await credentials.open('dep_1', 'provider', aud)).secrets).toEqual(['sk-marked'])
	credentials.put(state([{ name: 'provider', version: 2, jwe: await seal({}, { api_key: 'sk-new' }) }], 3))
	credentials.put(state([{ name: 'provider', version: 1, jwe: await seal() }], 2))
	expect(await credentials.open('dep_1', 'provider', aud)).toMatchObject({ version: 2, secrets: ['sk-new'] })
	credentials.drop('dep_1')
	await expect(credentials.open('dep_1', 'provider', aud)).rejects.toMatchObject({
		code: 'credentials_missing',
	})
})

test('one opening serves many callers at once, and a failed one is tried again', async () => {
	const credentials = createCredentials(keys)
	credentials.put(state([{ name: 'provider', version: 1, jwe: await seal() }]))
	const all = await Promise.all(Array.from({ length: 50 }, () => credentials.open('dep_1', 'provider', aud)))
	expect(new Set(all).size).toBe(1)
	credentials.put(state([{ name: 'provider', version: 2, jwe: 'garbage' }], 2))
	for (let i = 0; i < 2; i++) {
		await expect(credentials.open('dep_1', 'provider', aud)).rejects.toMatchObject({
			code: 'credential_rejected',
		})
	}
})
