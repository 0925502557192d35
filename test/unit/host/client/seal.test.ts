import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { seal } from '../../../../host/owner/client/index.ts'
import {
	createSealingKey,
	createWrapper,
	openSealed,
	openSealingKey,
} from '../../../../runtime/process/keys/index.ts'

const place = { deployment: 'dep_1', name: 'provider', aud: 'https://api.openai.com' }
const secret = { api_key: 'sk-secret' }

/** All that a page would find there, as an older browser answers it. */
function withoutX25519() {
	const refuse = () => Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'))
	const { subtle } = crypto
	const { generateKey, importKey } = subtle
	vi.spyOn(subtle, 'generateKey').mockImplementation(((
		algorithm: { name: string },
		...rest: [boolean, []]
	) => (algorithm.name === 'X25519' ? refuse() : generateKey.call(subtle, algorithm, ...rest))) as never)
	vi.spyOn(subtle, 'importKey').mockImplementation(((...asked: Parameters<typeof importKey>) =>
		JSON.stringify(asked[2]).includes('X25519') ? refuse() : importKey.apply(subtle, asked)) as never)
	onTestFinished(() => void vi.restoreAllMocks())
}

describe('seal', () => {
	// Proves: credential.sealed-by-owner, credential.jwe, credential.bound
	it.each([
		['by WebCrypto', () => {}],
		['in a browser without X25519', withoutX25519],
	])('makes what the runtime opens, for the bound place only, %s', async (_, given) => {
		given()
		const wrapper = createWrapper(Buffer.alloc(32, 7))
		const { kid, wrapped, jwk } = await createSealingKey(wrapper, place.deployment)
		const jwe = await seal(jwk, place, secret)
		expect(jwe).not.toContain(Buffer.from(secret.api_key).toString('base64url').slice(0, 8))
		vi.restoreAllMocks()
		expect(decodeProtectedHeader(jwe)).toEqual({
			alg: 'ECDH-ES',
			enc: 'A256GCM',
			kid,
			dep: 'dep_1',
			cred: 'provider',
			aud: 'https://api.openai.com',
			epk: { kty: 'OKP', crv: 'X25519', x: expect.stringMatching(/^[\w-]{43}$/) },
		})
		expect(jwe.split('.').map((part) => part.length)).toEqual([expect.any(Number), 0, 16, 31, 22])
		const key = openSealingKey(wrapper, place.deployment, { kid, wrapped })
		const opened = await openSealed(jwe, kid, key, place)
		expect(opened.kind === 'provider' && opened.apiKey.reveal()).toBe(secret.api_key)
		for (const other of [{ deployment: 'dep_2' }, { name: 'connector:x' }, { aud: 'https://evil.example' }]) {
			await expect(openSealed(jwe, kid, key, { ...place, ...other })).rejects.toMatchObject({
				code: 'credential_rejected',
			})
		}
		const foreign = createPrivateKey(
			generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
		)
		await expect(openSealed(jwe, kid, foreign, place)).rejects.toMatchObject({ code: 'credential_rejected' })
	})

	it('refuses what is no sealing key', async () => {
		await expect(seal({ kty: 'RSA' }, place, secret)).rejects.toThrow('no sealing key')
	})
})
