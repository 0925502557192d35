// Who may call, and what is remembered of a secret.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSecret, readSecret } from '../../../../host/auth/secret-format.ts'
import { withSql } from '../../../kit/agent.ts'
import type { TestHost } from '../../../kit/host.ts'
import { tokensFor } from '../../../kit/oauth-clients.ts'
import { sharedHost, startBeside } from '../../../kit/shared-host.ts'

let host: TestHost
let second: TestHost

beforeAll(async () => {
	host = await sharedHost()
	second = await startBeside(host)
})

afterAll(async () => {
	await second?.close()
	await host?.close()
})

// Proves: account.secret-form
test('a secret names its kind and id, and a changed letter is seen, when it is read', () => {
	const { id, secret } = newSecret('personal')
	expect(secret).toMatch(/^bpt_[0-9a-z]{26}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
	expect(readSecret(secret)).toEqual({ kind: 'personal', id })
	expect(readSecret(secret.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBeNull()
	expect(readSecret(secret.replace(/^bpt/, 'brk'))).toBeNull()
})

// Proves: error.unauthenticated-challenge
test.each([
	['no credential', undefined, 'Bearer'],
	['garbage', 'Bearer garbage', 'Bearer error="invalid_token"'],
	['a malformed token', 'Bearer a b', 'Bearer error="invalid_token"'],
	['another scheme', 'Basic dTpw', 'Bearer'],
	['an unknown secret', `Bearer ${newSecret('personal').secret}`, 'Bearer error="invalid_token"'],
	['a run key that is none', `Bearer ${newSecret('run_key').secret}`, 'Bearer error="invalid_token"'],
])('/v1 answers 401 with a challenge when there is %s', async (_what, authorization, challenge) => {
	const answer = await host.call('/v1/account', { headers: authorization ? { authorization } : {} })
	expect(answer.status).toBe(401)
	expect(answer.headers.get('www-authenticate')).toBe(challenge)
	expect(answer.body).toMatchObject({ code: 'unauthenticated', status: 401 })
})

// Proves: account.token-life
test('a token is shown once, listed without its value, and used until it is revoked', async () => {
	const { token } = await host.account()
	const made = await host.call<{ id: string; token: string }>('/v1/tokens', {
		token,
		json: { name: 'laptop' },
	})
	expect(made.status).toBe(201)
	const listed = await host.call('/v1/tokens', { token })
	expect(listed.body.data).toContainEqual(expect.objectContaining({ id: made.body.id, name: 'laptop' }))
	expect(listed.text).not.toContain(made.body.token)
	expect((await host.call('/v1/account', { token: made.body.token })).status).toBe(200)
	expect((await host.call(`/v1/tokens/${made.body.id}`, { method: 'DELETE', token })).status).toBe(204)
	expect((await host.call('/v1/account', { token: made.body.token })).status).toBe(401)
})

// Proves: account.token-revoked-everywhere
test('every host turns a token away within a second when one host revokes it', async () => {
	const { token } = await host.account()
	const made = await host.call<{ id: string; token: string }>('/v1/tokens', { token, json: { name: 'lost' } })
	expect((await second.call('/v1/account', { token: made.body.token })).status).toBe(200)
	await host.call(`/v1/tokens/${made.body.id}`, { method: 'DELETE', token })
	// A busy machine may take longer; were the notice lost, it would be 20 s.
	await expect
		.poll(async () => (await second.call('/v1/account', { token: made.body.token })).status, {
			timeout: 10_000,
		})
		.toBe(401)
})

// Proves: account.token-expiry
test('a token is refused when its time is over', async () => {
	const { token } = await host.account()
	const expires_at = new Date(Date.now() + 3_000).toISOString()
	const made = await host.call<{ token: string }>('/v1/tokens', {
		token,
		json: { name: 'short', expires_at },
	})
	expect((await host.call('/v1/account', { token: made.body.token })).status).toBe(200)
	await expect.poll(async () => (await host.call('/v1/account', { token: made.body.token })).status).toBe(401)
})

// Proves: account.token-other-account
test('a token of another account is not there', async () => {
	const [mine, theirs] = [await host.account(), await host.account()]
	const made = await host.call<{ id: string }>('/v1/tokens', { token: theirs.token, json: { name: 'x' } })
	const answer = await host.call(`/v1/tokens/${made.body.id}`, { method: 'DELETE', token: mine.token })
	expect(answer).toMatchObject({
		...{ status: 404, body: { code: 'not_found', detail: 'There is no such token.' } },
	})
})

// Proves: account.program-ends
test('a program that was let in makes nothing that lets it in once it is revoked', async () => {
	const password = 'correct horse battery'
	const other = await host.account()
	const account = await host.account({ password, operator: true })
	const { access_token } = await tokensFor(host.url, { ...account, password }, { resource: `${host.url}/v1` })
	const admin = '/v1/admin/accounts'
	const asked: [string, string, object][] = [
		['POST', '/v1/tokens', { name: 'stay' }],
		['PATCH', '/v1/account', { password: 'chosen by a program', current_password: password }],
		['POST', '/v1/account/erase', { confirm: account.email }],
		['POST', `${admin}/${account.id}/erase`, { confirm: account.id }],
		['POST', admin, { email: 'second@example.com', operator: true }],
		['PATCH', `${admin}/${other.id}`, { operator: true }],
		['PATCH', `${admin}/${account.id}`, { password: 'chosen by a program' }],
		['POST', `${admin}/${account.id}/sign-in-link`, {}],
	]
	for (const [method, path, json] of asked) {
		const body = path.endsWith('link') ? {} : { json }
		const { status, body: problem } = await host.call(path, { method, token: access_token, ...body })
		expect({ path, status, code: problem.code }).toEqual({ path, status: 403, code: 'forbidden' })
		expect(problem.detail).toMatch(/^A program that was let in, .* console.* \(\/hub\/tokens\)\.$/)
	}
	expect((await host.call('/v1/tokens', { token: account.token })).body.data).toHaveLength(1)
	// What is no way in stays allowed.
	const made = await host.call(admin, { token: access_token, json: { email: 'third@example.com' } })
	expect(made.status).toBe(201)
	const calm = { method: 'PATCH', token: access_token, json: { alert_mail: false } }
	expect((await host.call('/v1/account', calm)).status).toBe(200)
})

// Proves: account.program-ends
test('a program sets no first password', async () => {
	const password = 'correct horse battery'
	const account = await host.account({ password })
	const { access_token } = await tokensFor(host.url, { ...account, password }, { resource: `${host.url}/v1` })
	await withSql(host, (sql) => sql`update accounts set password_hash = null where id = ${account.id}`)
	const json = { password: 'chosen by a program' }
	const set = await host.call('/v1/account', { method: 'PATCH', token: access_token, json })
	expect(set).toMatchObject({ status: 403, body: { code: 'forbidden' } })
	expect((await host.call('/v1/account', { token: account.token })).body.has_password).toBe(false)
})
