// Accounts, plans, credits with a ledger, operators.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHost, type TestHost } from '../../../kit/host.ts'

let host: TestHost

beforeAll(async () => {
	host = await startHost({})
})

afterAll(async () => {
	await host?.close()
})

const admin = (path: string, json?: unknown, method?: string) =>
	host.call(`/v1/admin${path}`, {
		token: host.operator,
		...(json !== undefined && { json }),
		...(method && { method }),
	})

// Proves: account.new-account, guard-limit.initial-balance
test('an account begins on the free plan with 2,500 credits when it is made', async () => {
	const { id, token, email } = await host.account()
	const { status, body } = await host.call('/v1/account', { token })
	expect(status).toBe(200)
	expect(body).toEqual({
		id,
		email,
		plan: { name: 'free', running_agents: 1, retain_days: null, paid: false },
		slots: { used: 0, limit: 1, held: [] },
		credits: 2500,
		tester: false,
		operator: false,
		has_password: false,
		alert_mail: true,
		sends_mail: false,
		created_at: expect.any(String),
	})
	const ledger = await host.call('/v1/account/ledger', { token })
	expect(ledger.body).toMatchObject({
		data: [{ amount: 2500, balance: 2500, reason: 'free credits' }],
		next_cursor: null,
	})
})

// Proves: account.plans
test('plans are free 1, pro 5 and team 25 until an operator changes them', async () => {
	expect((await admin('/plans')).body).toEqual({
		data: [
			{ name: 'free', running_agents: 1, retain_days: null, paid: false },
			{ name: 'pro', running_agents: 5, retain_days: null, paid: true },
			{ name: 'team', running_agents: 25, retain_days: null, paid: true },
		],
	})
	expect((await admin('/plans/big', { running_agents: null, paid: true }, 'PUT')).status).toBe(200)
	const { token } = await host.account({ plan: 'big' })
	expect((await host.call('/v1/account', { token })).body).toMatchObject({ slots: { limit: null } })
})

// Proves: account.email-unique
test('a second account of one e-mail address, however written, is refused', async () => {
	const { email } = await host.account()
	const answer = await admin('/accounts', { email: email.toUpperCase() })
	expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('an unknown plan is refused by name', async () => {
	const answer = await admin('/accounts', { email: 'p@example.com', plan: 'gold' })
	expect(answer).toMatchObject({
		status: 400,
		body: { code: 'invalid_request', errors: [{ path: '/plan' }] },
	})
})

// Proves: account.balance
test('a balance never falls below zero and equals its ledger when many take at once', async () => {
	const { id, token } = await host.account()
	const takes = await Promise.all(
		Array.from({ length: 40 }, () => admin(`/accounts/${id}/credits`, { credits: -100.5, reason: 'test' })),
	)
	expect(takes.filter(({ status }) => status === 200)).toHaveLength(24)
	expect(takes.filter(({ status }) => status === 409)).toHaveLength(16)
	const { body } = await host.call('/v1/account', { token })
	expect(body).toMatchObject({ credits: 2500 - 24 * 100.5 })
	const ledger = await host.call<{ data: { amount: number }[] }>('/v1/account/ledger?limit=100', { token })
	expect(ledger.body.data.reduce((sum, { amount }) => sum + amount, 0)).toBe(2500 - 24 * 100.5)
})

// Proves: account.credit-places
test('credits with more than four places are refused', async () => {
	const { id } = await host.account()
	const answer = await admin(`/accounts/${id}/credits`, { credits: 0.00001 })
	expect(answer).toMatchObject({
		status: 400,
		body: { code: 'invalid_request', errors: [{ path: '/credits' }] },
	})
})

// Proves: account.pages
test('pages go on where the one before ended', async () => {
	const { id, token } = await host.account()
	for (const n of [1, 2, 3]) await admin(`/accounts/${id}/credits`, { credits: n, reason: `gift ${n}` })
	type Page = { data: { reason: string }[]; next_cursor: string | null }
	const first = await host.call<Page>('/v1/account/ledger?limit=3', { token })
	const rest = await host.call<Page>(`/v1/account/ledger?limit=3&cursor=${first.body.next_cursor}`, { token })
	expect([...first.body.data, ...rest.body.data].map(({ reason }) => reason)).toEqual([
		'gift 3',
		'gift 2',
		'gift 1',
		'free credits',
	])
	expect(rest.body.next_cursor).toBeNull()
})

// Proves: account.disabled
test('a disabled account is out at once, and in again when it is enabled', async () => {
	const { id, token } = await host.account()
	expect((await host.call('/v1/account', { token })).status).toBe(200)
	expect((await admin(`/accounts/${id}`, { disabled: true }, 'PATCH')).body).toMatchObject({ disabled: true })
	expect(await host.call('/v1/account', { token })).toMatchObject({
		status: 403,
		body: { code: 'forbidden' },
	})
	await admin(`/accounts/${id}`, { disabled: false }, 'PATCH')
	expect((await host.call('/v1/account', { token })).status).toBe(200)
})

// Proves: account.operators-only
test('/v1/admin is closed to owners who are no operators', async () => {
	const { token } = await host.account()
	const answer = await host.call('/v1/admin/accounts', { token })
	expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
	const { token: operator } = await host.account({ operator: true })
	expect((await host.call('/v1/admin/accounts', { token: operator })).status).toBe(200)
})

// Proves: account.last-operator
test('the only operator is neither disabled nor made an owner like others, also when two are changed at once', async () => {
	type Page = { data: { id: string; operator: boolean }[] }
	const { id, email } = await host.account({ operator: true })
	const second = await host.account({ operator: true })
	const { data } = (await host.call<Page>('/v1/admin/accounts?limit=100', { token: host.operator })).body
	const others = data.filter((one) => one.operator && one.id !== id && one.id !== second.id)
	for (const one of others) await admin(`/accounts/${one.id}`, { operator: false }, 'PATCH')
	const change = (of: string, json: object) => admin(`/accounts/${of}`, json, 'PATCH')
	const both = await Promise.all([id, second.id].map((of) => change(of, { operator: false })))
	expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
	await change(id, { operator: true })
	await change(second.id, { operator: false })
	for (const json of [{ disabled: true }, { operator: false }])
		expect(await change(id, json)).toMatchObject({
			status: 409,
			body: { code: 'conflict', detail: expect.stringContaining(`${email} is the only operator`) },
		})
	expect((await change(id, { plan: 'pro', disabled: false })).status).toBe(200)
	for (const one of others) await change(one.id, { operator: true })
	expect((await change(id, { disabled: true })).status).toBe(200)
})

test('accounts are found by e-mail address', async () => {
	const { id, email } = await host.account({ plan: 'pro', tester: true })
	const { body } = await admin(`/accounts?email=${encodeURIComponent(email.toUpperCase())}`)
	expect(body).toMatchObject({
		data: [{ id, email, plan: 'pro', tester: true, credits: 2500 }],
		next_cursor: null,
	})
})

// Proves: account.local-operator
test('the local operator of another DATA_DIR is nobody here', async () => {
	const answer = await host.call('/v1/admin/accounts', { token: `local_${'0'.repeat(64)}` })
	expect(answer.status).toBe(401)
	expect((await host.call('/v1/account', { token: host.operator })).status).toBe(401)
})
