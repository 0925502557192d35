import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GuardUsage } from '../../../host/api/account.ts'
import { until } from '../../kit/agent.ts'
import { openBrowser } from '../../kit/browser.ts'
import { startHost, type TestHost } from '../../kit/host.ts'
import {
	authorizeUrl,
	call,
	connect,
	type Person,
	pkce,
	register,
	tokensFor,
} from '../../kit/oauth-clients.ts'

// The guard in the shipped host: its own platform, runtime, master key and built-in judge.

let host: TestHost
let owner: Person & { id: string }

beforeAll(async () => {
	host = await startHost({ env: { GUARD_ACCESS: 'everyone' } })
	owner = await newOwner()
})
afterAll(() => host?.close())

async function newOwner(wanted: { tester?: boolean } = {}) {
	const password = 'a long enough password'
	const { id, email } = await host.account({ password, ...wanted })
	return { id, email, password }
}

function admin(path: string, json: unknown) {
	return host.call(path, { method: 'PATCH', token: host.operator, json })
}

const question = { propositions: ['Water boils at 100 °C at sea level.'] }

describe('the guard of a host', () => {
	for (const version of ['v1', 'v2'] as const) {
		// Proves: guard-oauth.discovery-alone, guard.both-eras, guard.json-rpc
		it(`is reached by the SDK's client ${version} from its address alone, and answers`, async () => {
			const client = await connect[version](host.url, owner)
			await client.listTools()
			const result = await client.callTool({
				name: 'guard_verify',
				arguments: {
					claims: ['The bridge is 300 metres long.', 'The bridge was opened in 1998.'],
					evidence: 'The bridge, opened in 1998, is 250 metres long and carries two lanes.',
				},
			})
			expect(result.structuredContent).toMatchObject({ ok: true, results: [{}, { verdict: 'verified' }] })
			await client.close()
		})
	}
	// Proves: guard-limit.price, guard-limit.shared-balance, guard.allowance-credits, guard-limit.usage-by-day
	it('spends the account’s credits: the ledger has the call', async () => {
		const spender = await newOwner()
		const { access_token } = await tokensFor(host.url, spender)
		const { structured } = await call(host.url, access_token, 'guard_noul', question)
		expect(structured?.allowance_remaining).toMatch(/^2499\.99\d{1,2} credits \(Platform credits\)$/)
		const { access_token: api } = await tokensFor(host.url, spender, { resource: `${host.url}/v1` })
		const { body } = await host.call<{ credits: number }>('/v1/account', { token: api })
		expect(`${body.credits} credits (Platform credits)`).toBe(structured?.allowance_remaining)
		// Counted by the quarter second.
		const used = await until(async () => {
			const { days } = GuardUsage.parse((await host.call('/v1/account/guard-usage', { token: api })).body)
			return days.at(-1)?.calls === 1 && days
		})
		expect(used).toHaveLength(30)
		const { tokens = 0, credits = 0, day } = used.at(-1) ?? {}
		expect(credits).toBeCloseTo(2500 - body.credits, 6)
		expect(tokens).toBe(Math.round(credits * 10_000))
		expect(day).toBe(new Date().toISOString().slice(0, 10))
		expect(used.slice(0, -1).every(({ calls }) => calls === 0)).toBe(true)
	})
	// Proves: guard-limit.operator-switch
	it('obeys its operator at once: pause, budget, capacity, resume', async () => {
		const { access_token } = await tokensFor(host.url, owner)
		const ask = async () => (await call(host.url, access_token, 'guard_noul', question)).texts[0]
		expect((await admin('/v1/admin/guard', { maintenance: true })).status).toBe(200)
		expect(await ask()).toBe('Guard is paused for maintenance. Try again later.')
		await admin('/v1/admin/guard', { maintenance: false, budget_tokens: 1 })
		expect(await ask()).toBe('Guard has reached its budget. Try again later.')
		await admin('/v1/admin/guard', { budget_tokens: null, capacity: 0 })
		expect(await ask()).toBe('Guard is full right now.')
		await admin('/v1/admin/guard', { capacity: 512 })
		expect(await ask()).toContain('"ok":true')
	})
	// Proves: account.disabled-guard, guard-limit.account-disabled
	it('keeps the tokens of a disabled account, and says what is the matter; /v1 is closed to it', async () => {
		const disabled = await newOwner()
		const { access_token } = await tokensFor(host.url, disabled)
		const { access_token: api } = await tokensFor(host.url, disabled, { resource: `${host.url}/v1` })
		expect((await call(host.url, access_token, 'guard_noul', question)).isError).toBe(false)
		expect((await admin(`/v1/admin/accounts/${disabled.id}`, { disabled: true })).status).toBe(200)
		expect((await call(host.url, access_token, 'guard_noul', question)).texts).toEqual([
			'This Platform account cannot use Guard.',
		])
		expect((await host.call('/v1/account', { token: api })).status).toBe(403)
	})
	// Proves: guard-limit.exact-credits
	it('answers 64 calls of a free account at once, each charged', async () => {
		const spender = await newOwner()
		const { access_token } = await tokensFor(host.url, spender)
		const answers = await Promise.all(
			Array.from({ length: 64 }, () => call(host.url, access_token, 'guard_noul', question)),
		)
		expect(answers.filter(({ isError }) => isError)).toEqual([])
		expect(new Set(answers.map(({ structured }) => structured?.allowance_remaining)).size).toBe(64)
	})
	// Proves: guard-limit.exact-credits, guard-limit.shared-balance
	it('takes nothing for a call that the balance, spent elsewhere meanwhile, does not cover', async () => {
		const spender = await newOwner()
		const { access_token } = await tokensFor(host.url, spender)
		const { access_token: api } = await tokensFor(host.url, spender, { resource: `${host.url}/v1` })
		const left = async () =>
			(await host.call<{ credits: number }>('/v1/account', { token: api })).body.credits
		await call(host.url, access_token, 'guard_noul', question)
		const json = { credits: 0.0005 - (await left()), reason: 'spent elsewhere' }
		await host.call(`/v1/admin/accounts/${spender.id}/credits`, { token: host.operator, json })
		const { texts, structured } = await call(host.url, access_token, 'guard_noul', question)
		expect(texts).toEqual([expect.stringContaining('Your Platform credits are too low')])
		expect(structured?.allowance_remaining).toBe('0.0005 credits (Platform credits)')
		expect(await left()).toBe(0.0005)
	})
	// Proves: guard-limit.testers-free, guard.allowance-unlimited
	it('does not meter testers', async () => {
		const { access_token } = await tokensFor(host.url, await newOwner({ tester: true }))
		const { structured } = await call(host.url, access_token, 'guard_noul', question)
		expect(structured).toMatchObject({ ok: true, allowance_remaining: 'unlimited (tester)' })
	})
	it('keeps its pages’ own policies', async () => {
		const { client_id } = await register(host.url)
		const page = await openBrowser().open(authorizeUrl(host.url, client_id, pkce().challenge))
		expect(page.headers.get('referrer-policy')).toBe('same-origin')
		expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:49152")
		const style = await fetch(new URL(/href="(\/oauth\/[^"]+\.css)"/.exec(page.html)?.[1] ?? '', host.url))
		expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
	})
})
