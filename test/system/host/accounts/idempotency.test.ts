// `Idempotency-Key` on every /v1 POST.
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import type { TestHost } from '../../../kit/host.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let sql: postgres.Sql

beforeAll(async () => {
	host = await sharedHost()
	sql = postgres({ ...parseDatabaseUrl(host.databaseUrl as string), max: 2 })
})

afterAll(async () => {
	await sql?.end()
	await host?.close()
})

function makeToken(token: string, key: string, name = 'one') {
	return host.call<{ id: string; token: string; code: string }>('/v1/tokens', {
		token,
		json: { name },
		headers: { 'idempotency-key': key },
	})
}

// Proves: account.idempotent-posts
test('the first answer comes again, and nothing is made, when a key comes again', async () => {
	const { token } = await host.account()
	const key = randomUUID()
	const first = await makeToken(token, key)
	const again = await makeToken(token, key)
	expect(first.status).toBe(201)
	expect(again.status).toBe(201)
	expect(again.body).toEqual(first.body)
	expect(again.headers.get('idempotency-replayed')).toBe('true')
	expect(first.headers.get('idempotency-replayed')).toBeNull()
})

// Proves: account.idempotent-secrets
test('no secret of an answer is stored in clear', async () => {
	const { token } = await host.account()
	const key = randomUUID()
	const { body } = await makeToken(token, key)
	const [row] = await sql`select i::text as all from idempotency i where key = ${key}`
	expect(row?.all).toContain('wrapped')
	expect(row?.all).not.toContain(body.token.split('_')[2])
})

// Proves: account.idempotent-other-body
test('a key is refused when its body is another', async () => {
	const { token } = await host.account()
	const key = randomUUID()
	await makeToken(token, key)
	expect(await makeToken(token, key, 'two')).toMatchObject({
		status: 422,
		body: { code: 'idempotency_key_reused' },
	})
})

// Proves: account.idempotent-posts
test('one of many at once does the work', async () => {
	const { token } = await host.account()
	const key = randomUUID()
	const all = await Promise.all(Array.from({ length: 20 }, () => makeToken(token, key)))
	const made = new Set(all.filter(({ status }) => status === 201).map(({ body }) => body.id))
	expect(made.size).toBe(1)
	const rest = all.filter(({ status }) => status !== 201)
	expect(rest.every(({ status, body }) => status === 409 && body.code === 'idempotency_in_progress')).toBe(
		true,
	)
	const listed = await host.call<{ data: unknown[] }>('/v1/tokens', { token })
	expect(listed.body.data.filter((one) => (one as { name: string }).name === 'one')).toHaveLength(1)
})

// Proves: account.idempotent-other-body
test('a key belongs to its account', async () => {
	const [mine, theirs] = [await host.account(), await host.account()]
	const key = randomUUID()
	const [one, two] = [await makeToken(mine.token, key), await makeToken(theirs.token, key)]
	expect([one.status, two.status]).toEqual([201, 201])
	expect(one.body.id).not.toBe(two.body.id)
})

// Proves: account.idempotent-posts
test('a refusal comes again, too', async () => {
	const { token } = await host.account()
	const key = randomUUID()
	const call = () =>
		host.call('/v1/deployments/dep_none/start', {
			method: 'POST',
			token,
			headers: { 'idempotency-key': key },
		})
	const first = await call()
	expect(first).toMatchObject({ status: 404, body: { code: 'not_found' } })
	expect((await call()).body).toEqual(first.body)
})

// Proves: account.idempotent-other-body
test('a malformed key is refused', async () => {
	const { token } = await host.account()
	expect(await makeToken(token, 'two words')).toMatchObject({
		status: 400,
		body: { code: 'invalid_request' },
	})
})
