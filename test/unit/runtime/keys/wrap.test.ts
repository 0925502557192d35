import { inspect } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createWrapper, Secret, signWebhook } from '../../../../runtime/process/keys/index.ts'

// Secrets that must be used again are encrypted by the runtime under the master key.

const keys = createWrapper(Buffer.alloc(32, 7))
const text = Buffer.from('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')

// Proves: credential.wrapped-by-purpose
test('a wrapped secret opens only for its purpose, its owner and its master key', () => {
	const wrapped = keys.wrap('oauth', text, ['a', 'b'])
	expect(keys.unwrap('oauth', wrapped, ['a', 'b'])).toEqual(text)
	const refusals = [
		() => keys.unwrap('webhook', wrapped, ['a', 'b']),
		() => keys.unwrap('oauth', wrapped, ['a']),
		() => keys.unwrap('oauth', wrapped, ['a,b']),
		() => createWrapper(Buffer.alloc(32, 8)).unwrap('oauth', wrapped, ['a', 'b']),
		() => keys.unwrap('oauth', '', ['a', 'b']),
		() => keys.unwrap('oauth', wrapped.slice(0, -4), ['a', 'b']),
	]
	for (const refusal of refusals)
		expect(refusal).toThrow(expect.objectContaining({ code: 'secret_unreadable' }))
})

// Proves: credential.wrapped-by-purpose
test('every changed byte of a wrapped secret is noticed', () => {
	const wrapped = Buffer.from(keys.wrap('oauth', text, []), 'base64url')
	for (let i = 0; i < wrapped.length; i++) {
		const changed = Buffer.from(wrapped)
		changed[i] = (changed[i] as number) ^ 1
		expect(() => keys.unwrap('oauth', changed.toString('base64url'), [])).toThrow()
	}
})

test('one text wrapped twice is two different ciphertexts, neither holding it', () => {
	const [one, two] = [keys.wrap('oauth', text, []), keys.wrap('oauth', text, [])]
	expect(one).not.toBe(two)
	expect(Buffer.from(one, 'base64url').includes(text)).toBe(false)
})

// Proves: webhook.signed
test('a webhook signature is the one a Standard Webhooks receiver computes, one for each secret of a rotation', () => {
	const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD']
	const at = new Date(1_700_000_000_000)
	const signatures = signWebhook(
		keys,
		secrets.map((secret) => keys.wrap('webhook', Buffer.from(secret), [])),
		`evt_1.${at.getTime() / 1000}.{"a":1}`,
	)
	expect(signatures.map((s) => `v1,${s}`)).toEqual(
		secrets.map((secret) => new Webhook(secret).sign('evt_1', at, '{"a":1}')),
	)
})

// Proves: credential.secret-values-hidden
test('a secret shows itself in no text, JSON, template or inspection', () => {
	const held = { key: new Secret('sk-marked') }
	expect(
		[JSON.stringify(held), inspect(held, { showHidden: true, depth: 9 }), `${held.key}`].join(),
	).not.toContain('marked')
	expect(held.key.reveal()).toBe('sk-marked')
})
