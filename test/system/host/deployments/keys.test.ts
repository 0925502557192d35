import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IssuedKey, KeyList } from '../../../../host/api/keys.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	host = await sharedHost()
	account = await host.account()
	agent = await deploy(
		host,
		account,
		await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
	)
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const at = (path = '') => `/v1/deployments/${agent.id}/keys${path}`
const issue = (json: object = {}) => host.call<IssuedKey>(at(), { token: account.token, json })
const rotate = (id: string, json?: object) =>
	host.call<IssuedKey>(at(`/${id}/rotate`), { method: 'POST', token: account.token, json })
const runs = (token: string) => host.call(`${agent.url}/runs`, { token })

describe('a run key', () => {
	// Proves: key.shown-once, key.scopes
	test('is shown once, works by its scopes, and is listed without its value', async () => {
		const { status, body } = await issue({ name: 'reader', scopes: ['read'] })
		expect(status).toBe(201)
		expect(IssuedKey.parse(body)).toEqual(body)
		expect((await runs(body.run_key)).status).toBe(200)
		const refused = await run(host, agent, {}, {}, body.run_key)
		expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
		const listed = await host.call<KeyList>(at(), { token: account.token })
		expect(KeyList.parse(listed.body)).toEqual(listed.body)
		expect(listed.body.data.map(({ name }) => name)).toContain('reader')
		expect(listed.text).not.toContain(body.run_key)
		await withSql(host, async (sql) => {
			const [row] = await sql`select hash from run_keys where id = ${body.id}`
			expect(row?.hash).toMatch(/^\$argon2id\$/)
		})
	})

	// Proves: key.revoked
	test('that is revoked is refused at once, and revoking it again changes nothing', async () => {
		const { body } = await issue()
		expect((await run(host, agent, {}, {}, body.run_key)).status).toBe(200)
		const revoke = () => host.call(at(`/${body.id}`), { method: 'DELETE', token: account.token })
		const first = await revoke()
		expect(first.body.revoked_at).toEqual(expect.any(String))
		const refused = await run(host, agent, {}, {}, body.run_key)
		expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated'])
		expect((await revoke()).body).toEqual(first.body)
	})

	// Proves: key.rotation
	test('works on for the overlap when it is rotated, and not after it', async () => {
		const { body: old } = await issue({ name: 'turning', scopes: ['run', 'read'] })
		const next = (await rotate(old.id, { overlap_seconds: 60 })).body
		expect(next).toMatchObject({ name: 'turning', scopes: ['run', 'read'], lineage: old.lineage })
		for (const key of [old.run_key, next.run_key])
			expect((await run(host, agent, {}, {}, key)).status).toBe(200)
		const last = (await rotate(next.id, { overlap_seconds: 0 })).body
		expect((await run(host, agent, {}, {}, next.run_key)).status).toBe(401)
		expect((await run(host, agent, {}, {}, last.run_key)).status).toBe(200)
	})

	// Proves: key.rotated-once
	test.each([null, '2099-01-01T00:00:00.000Z'])(
		'is rotated once, and its successor expires as it did: %s',
		async (expires_at) => {
			const { body: old } = await issue({ expires_at })
			const [one, two] = await Promise.all([rotate(old.id), rotate(old.id)])
			const [made, late] = one.status === 201 ? [one, two] : [two, one]
			expect([made.status, made.body.expires_at]).toEqual([201, expires_at])
			expect([late.status, late.body]).toMatchObject([
				409,
				{ code: 'conflict', detail: `The key was rotated already. Rotate ${made.body.id} instead.` },
			])
			await host.call(at(`/${made.body.id}`), { method: 'DELETE', token: account.token })
			expect(await rotate(old.id)).toMatchObject({ status: 201, body: { expires_at } })
		},
	)

	// Proves: key.rotated-once
	test('that has expired is not rotated', async () => {
		const { body } = await issue({ expires_at: new Date(Date.now() + 400).toISOString() })
		await until(async () => (await runs(body.run_key)).status === 401)
		expect(await rotate(body.id)).toMatchObject({
			status: 409,
			body: { code: 'conflict', detail: 'The key has expired. Create another.' },
		})
	})

	// Proves: key.expiry
	test('past its expiry is refused', async () => {
		const { body } = await issue({ expires_at: new Date(Date.now() + 400).toISOString() })
		await until(async () => (await runs(body.run_key)).status === 401)
	})

	// Proves: key.last-used
	test('says when it was used last', async () => {
		const { body } = await issue()
		await run(host, agent, {}, {}, body.run_key)
		await until(async () => {
			const { data } = (await host.call<KeyList>(at(), { token: account.token })).body
			return data.find(({ id }) => id === body.id)?.last_used_at
		})
	})

	// Proves: key.own-deployment
	test('of another deployment opens nothing here', async () => {
		const other = await host.account()
		const theirs = await deploy(
			host,
			other,
			await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
		)
		const answer = await run(host, agent, {}, {}, theirs.run_key)
		expect([401, 404]).toContain(answer.status)
	})

	// Proves: key.invalid-refused
	test.each([
		['no scope', { scopes: [] }],
		['a scope that is none', { scopes: ['admin'] }],
		['a scope named twice', { scopes: ['run', 'run'] }],
		['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }],
		['a member nobody knows', { colour: 'red' }],
	])('with %s is not made', async (_what, json) => {
		const answer = await issue(json)
		expect([answer.status, (answer.body as { code?: string }).code]).toEqual([400, 'invalid_request'])
	})
})
