import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { KEY, start } from './processes.ts'

// What the host may ask of the shipped runtime besides runs.

// Proves: credential.no-plaintext-message, deployment.start-rejected-key
// Proves: provider.key-checked-at-start
test('the provider is asked once whether it takes the key, and the answer holds no key', async () => {
	const scripts = { m: { text: 'hello' } }
	const taken = await start({ scripts, key: KEY })
	const probe = { deployment: 'dep_1', digest: taken.digest, credential: 'provider' }
	expect(await taken.runtime.call('provider.probe', probe)).toMatchObject({ status: 'ok' })
	const refused = await start({ scripts, key: 'another' })
	const answer = await refused.runtime.call('provider.probe', { ...probe, digest: refused.digest })
	expect(answer.status).toBe('rejected')
	expect(JSON.stringify(answer)).not.toContain(KEY)
	await refused.models.close()
	const gone = { ...probe, digest: refused.digest }
	expect(await refused.runtime.call('provider.probe', gone)).toMatchObject({ status: 'unreachable' })
	expect(await taken.runtime.call('provider.probe', { ...probe, deployment: 'dep_2' })).toMatchObject({
		status: 'rejected',
	})
	await expect(taken.runtime.call('provider.probe', { ...probe, digest: 'none' })).rejects.toMatchObject({
		code: 'not_found',
	})
})

// Proves: credential.host-secrets-used
test('secrets of the host are kept, and those of webhooks only ever sign', async () => {
	const { runtime } = await start({})
	const plaintext = `whsec_${randomBytes(24).toString('base64')}`
	for (const purpose of ['oauth', 'answer'] as const) {
		const { wrapped } = await runtime.call('secret.wrap', { purpose, plaintext })
		expect(wrapped).not.toContain(plaintext)
		expect(await runtime.call('secret.unwrap', { purpose, wrapped })).toEqual({ plaintext })
		const other = purpose === 'oauth' ? 'answer' : 'oauth'
		await expect(runtime.call('secret.unwrap', { purpose: other, wrapped })).rejects.toMatchObject({
			code: 'secret_unreadable',
		})
	}
	const { wrapped } = await runtime.call('secret.wrap', { purpose: 'webhook', plaintext })
	for (const purpose of ['webhook', 'oauth', 'sealing'] as const) {
		await expect(runtime.call('secret.unwrap', { purpose: purpose as 'oauth', wrapped })).rejects.toThrow()
	}
	const at = new Date()
	const text = `evt_1.${Math.floor(at.getTime() / 1000)}.{}`
	const { signatures } = await runtime.call('webhook.sign', { wrapped: [wrapped], text })
	expect(`v1,${signatures[0]}`).toBe(new Webhook(plaintext).sign('evt_1', at, '{}'))
})

// Proves: credential.sealed-elsewhere-refused
test('a credential sealed for another deployment is rejected with the reason', async () => {
	const { runtime, sealed } = await start({})
	const check = (changes: object) =>
		runtime.call('credential.check', { deployment: 'dep_1', ...sealed, ...changes }).then(
			({ kind }) => kind,
			({ code, message }) => `${code}: ${message}`,
		)
	expect(await check({})).toBe('provider')
	expect(await check({ aud: 'https://elsewhere.example' })).toMatch(/^credential_rejected: .*another address/)
	expect(await check({ name: 'connector:x' })).toMatch(/^credential_rejected: .*another credential/)
	expect(await check({ jwe: 'garbage' })).toMatch(/^credential_rejected: .*compact JWE/)
	expect(await check({ deployment: 'dep_2' })).toMatch(/^secret_unreadable/)
	const other = await runtime.call('sealing_key.create', { deployment: 'dep_1' })
	expect(await check({ sealing: { kid: other.kid, wrapped: other.wrapped } })).toMatch(
		/^credential_rejected: .*another key/,
	)
})
