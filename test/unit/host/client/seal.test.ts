import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { seal } from '../../../../host/owner/client/index.ts'
import {
	createSealingKey,
	createWrapper,
	openSealed,
	openSealingKey,
} from '../../../../runtime/process/keys/index.ts'

const place = { deployment: 'dep_1', name: 'provider', aud: 'https://api.openai.com' }
const secret = { api_key: 'sk-secret' }

describe('seal', () => {
	// Proves: credential.sealed-by-owner, credential.jwe, credential.bound
	it('makes what the runtime opens, for the bound place only', async () => {
		const wrapper = createWrapper(Buffer.alloc(32, 7))
		const { kid, wrapped, jwk } = await createSealingKey(wrapper, place.deployment)
		const jwe = await seal(jwk, place, secret)
		expect(jwe).not.toContain(Buffer.from(secret.api_key).toString('base64url').slice(0, 8))
		expect(decodeProtectedHeader(jwe)).toMatchObject({
			alg: 'ECDH-ES',
			enc: 'A256GCM',
			kid,
			dep: 'dep_1',
			cred: 'provider',
			aud: 'https://api.openai.com',
		})
		const key = openSealingKey(wrapper, place.deployment, { kid, wrapped })
		const opened = await openSealed(jwe, kid, key, place)
		expect(opened.kind).toBe('provider')
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
