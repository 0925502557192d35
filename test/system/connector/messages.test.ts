import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import {
	addAccount,
	addHistory,
	type Guard,
	type NewAccount,
	startGuard,
	testJudge,
} from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { call, tokensFor } from '../../kit/oauth-clients.ts'

// Each of the ten messages over the real HTTP path and from its real cause.

const text = 'The sky is blue on a clear day.'
const question = { propositions: [text] }

let database: Database
let guard: Guard
let now = Date.now()
/** What the judge waits for. */
let held = async () => {}

beforeAll(async () => {
	database = await openTestDatabase()
	const judge = testJudge()
	const noul: typeof judge.noul = async (...given) => {
		await held()
		return judge.noul(...given)
	}
	guard = await startGuard(database, {
		judge: { ...judge, noul },
		clock: () => now,
		accessTokenSeconds: 864_000,
	})
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})
beforeEach(async () => {
	now = Date.now()
	held = async () => {}
	await guard.connector.set({ maintenance: false, budget_tokens: null, capacity: 512, free_share: 0.75 })
})

async function someone(given: NewAccount = {}, at = guard) {
	const account = await addAccount(database, given)
	const { access_token } = await tokensFor(at.baseUrl, account)
	const ask = (args: unknown = question, tool = 'guard_noul') => call(at.baseUrl, access_token, tool, args)
	return { ...account, ask }
}

async function state(accountId: string) {
	const [account] = await database.sql`select balance from accounts where id = ${accountId}`
	const [lines] =
		await database.sql`select sum(amount)::float8 as sum from ledger where account_id = ${accountId}`
	const [window] = await database.sql`
		select cardinality(newest) as admitted from guard_windows where account_id = ${accountId}`
	return { balance: account?.balance, ledger: lines?.sum, admitted: window?.admitted ?? 0 }
}

function tokensOf({ structured }: Awaited<ReturnType<typeof call>>): number {
	return Number((structured?.usage as { input_tokens: number } | undefined)?.input_tokens)
}

function refused(message: string, allowance: string) {
	return { isError: true, texts: [message], structured: { ok: false, allowance_remaining: allowance } }
}

const full = '2500 credits (Platform credits)'

describe('a refused call says why, costs nothing and does not count', () => {
	// Proves: guard-limit.account-disabled, guard.envelope, guard.error-shape
	it('account disabled', async () => {
		const owner = await someone()
		await database.sql`update accounts set disabled_at = now() where id = ${owner.id}`
		expect(await owner.ask()).toEqual(refused('This Platform account cannot use Guard.', full))
	})
	// Proves: guard-limit.testers-only
	it('not a tester while only testers are accepted: sign-in completes, the first call fails', async () => {
		const testers = await startGuard(database, { access: 'testers' })
		const stranger = await someone({}, testers)
		expect(await stranger.ask()).toEqual(refused('This Platform account cannot use Guard.', full))
		const tester = await someone({ tester: true }, testers)
		expect(await tester.ask()).toMatchObject({
			isError: false,
			structured: { allowance_remaining: 'unlimited (tester)', usage: { credits: 0 } },
		})
		await testers.close()
	})
	// Proves: guard-limit.tool-errors, guard-limit.rate, guard-limit.refused-not-counted
	// Proves: guard.error-shape
	it('rate: the 121st call within 60 s', async () => {
		const owner = await someone()
		const answers = await Promise.all(Array.from({ length: 120 }, () => owner.ask()))
		expect(answers.filter((answer) => answer.isError)).toEqual([])
		const { structured } = await owner.ask()
		expect(await owner.ask()).toEqual(
			refused('Too many Guard calls. Retry after 60 seconds.', structured?.allowance_remaining ?? ''),
		)
		expect((await state(owner.id)).admitted).toBe(120)
		now += 60_001
		expect((await owner.ask()).isError).toBe(false)
	})
	// Proves: guard-limit.daily
	it('daily: the 20,001st call within 24 h', async () => {
		const owner = await someone()
		const first = now - 20_000_000
		await addHistory(database, owner.id, { calls: 20_000, first, everyMs: 1_000 })
		expect(await owner.ask()).toEqual(refused('Too many Guard calls today. Retry after 24 hours.', full))
		now = first + 86_400_000
		expect((await owner.ask()).isError).toBe(false)
		expect((await owner.ask()).texts).toEqual(['Too many Guard calls today. Retry after 24 hours.'])
	})
	// Proves: guard-limit.input-size, guard-limit.price
	it('over 24,000 tokens', async () => {
		const owner = await someone()
		const words = (n: number) => ({ propositions: ['x'], context: ' a'.repeat(n) })
		expect(await owner.ask(words(24_000))).toEqual(
			refused('Input is over the 24,000-token limit for one Guard call.', full),
		)
		expect(await state(owner.id)).toEqual({ balance: 25_000_000, ledger: 25_000_000, admitted: 0 })
		expect(await owner.ask(words(23_999))).toMatchObject({
			isError: false,
			structured: {
				usage: { input_tokens: 24_000, credits: 2.4 },
				allowance_remaining: '2497.6 credits (Platform credits)',
			},
		})
	})
	// Proves: guard-limit.maintenance
	it('maintenance', async () => {
		const owner = await someone()
		await guard.connector.set({ maintenance: true })
		expect(await owner.ask()).toEqual(refused('Guard is paused for maintenance. Try again later.', full))
		await guard.connector.set({ maintenance: false })
		expect((await owner.ask()).isError).toBe(false)
	})
	// Proves: guard-limit.budget
	it('budget: the month’s sum of tokens, over all accounts', async () => {
		const [one, other] = [await someone(), await someone()]
		const spent = guard.connector.status().month.tokens
		const input_tokens = tokensOf(await one.ask())
		expect(guard.connector.status().month.tokens).toBe(spent + input_tokens)
		await guard.connector.set({ budget_tokens: spent + 2 * input_tokens })
		expect((await other.ask()).isError).toBe(false)
		expect((await one.ask()).texts).toEqual(['Guard has reached its budget. Try again later.'])
		expect(guard.connector.status().month.tokens).toBe(spent + 2 * input_tokens)
	})
	// Proves: guard-limit.wallet
	it('wallet: the balance is below the price', async () => {
		const owner = await someone({ balance: 3 })
		expect(await owner.ask()).toEqual(
			refused(
				'Your Platform credits are too low for this Guard call. Top up in Platform Hub.',
				'0.0003 credits (Platform credits)',
			),
		)
		expect(await state(owner.id)).toEqual({ balance: 3, ledger: 3, admitted: 0 })
	})
	// Proves: guard-limit.credits-unavailable
	it('credits unavailable: the ledger cannot be written', async () => {
		const owner = await someone()
		await database.sql`alter table ledger rename to ledger_away`
		const answer = await owner.ask().finally(() => database.sql`alter table ledger_away rename to ledger`)
		expect(answer).toEqual(refused('Platform credits are unavailable right now', full))
		expect(await state(owner.id)).toEqual({ balance: 25_000_000, ledger: 25_000_000, admitted: 0 })
	})
	// Proves: guard-limit.free-full, guard-limit.full
	it('full for free accounts, then full: the judge’s queue', async () => {
		const [free, paid, tester] = [
			await someone(),
			await someone({ plan: 'pro' }),
			await someone({ tester: true }),
		]
		await guard.connector.set({ capacity: 3, free_share: 0.67 })
		let answer = () => {}
		const answered = new Promise<void>((resolve) => {
			answer = resolve
		})
		held = () => answered
		const waiting = [free.ask(), free.ask()]
		await expect.poll(() => guard.connector.status().held).toEqual({ all: 2, free: 2 })
		expect(await free.ask()).toEqual(
			refused('Guard is full for free accounts right now. Upgrade to a paid plan to use it.', full),
		)
		waiting.push(paid.ask())
		await expect.poll(() => guard.connector.status().held).toEqual({ all: 3, free: 2 })
		expect(await paid.ask()).toEqual(refused('Guard is full right now.', full))
		expect(await tester.ask()).toEqual(refused('Guard is full right now.', 'unlimited (tester)'))
		expect((await free.ask()).texts).toEqual(['Guard is full right now.'])
		answer()
		expect((await Promise.all(waiting)).map(({ isError }) => isError)).toEqual([false, false, false])
		expect(guard.connector.status().held).toEqual({ all: 0, free: 0 })
	})
	// Proves: guard-limit.judge-failure
	it('a judge that fails is an error of its own, not charged and not counted', async () => {
		const owner = await someone()
		held = () => Promise.reject(new Error('broken'))
		expect(await owner.ask()).toEqual(refused('Guard could not answer this call. Try again later.', full))
		expect(await state(owner.id)).toEqual({ balance: 25_000_000, ledger: 25_000_000, admitted: 0 })
	})
	// Proves: guard-limit.operator-switch
	it('a switch reaches another host within a second', async () => {
		const other = await startGuard(database)
		await other.connector.set({ maintenance: true })
		await expect.poll(() => guard.connector.status().switches.maintenance, { timeout: 10_000 }).toBe(true)
		await other.close()
	})
})

describe('credits are exact', () => {
	// Proves: guard-limit.exact-credits
	it('of 64 calls at once on a balance for ten, ten are answered and the balance stays above zero', async () => {
		const probe = await someone()
		const price = tokensOf(await probe.ask())
		const owner = await someone({ balance: 10 * price + 1 })
		const answers = await Promise.all(Array.from({ length: 64 }, () => owner.ask()))
		const answered = answers.filter(({ isError }) => !isError)
		expect(answered).toHaveLength(10)
		expect(new Set(answered.map(({ structured: s }) => s?.allowance_remaining)).size).toBe(10)
		expect(new Set(answers.filter(({ isError }) => isError).map(({ texts }) => texts[0]))).toEqual(
			new Set(['Your Platform credits are too low for this Guard call. Top up in Platform Hub.']),
		)
		expect(await state(owner.id)).toEqual({ balance: 1, ledger: 1, admitted: 10 })
	})
	// Proves: guard-limit.price, guard-limit.exact-credits
	it('64 calls at once are 64 lines in the ledger', async () => {
		const owner = await someone()
		const answers = await Promise.all(Array.from({ length: 64 }, () => owner.ask()))
		const spent = answers.reduce((sum, answer) => sum + tokensOf(answer), 0)
		expect(await state(owner.id)).toEqual({
			balance: 25_000_000 - spent,
			ledger: 25_000_000 - spent,
			admitted: 64,
		})
		const [lines] = await database.sql`select count(*)::int as n from ledger where account_id = ${owner.id}`
		expect(lines?.n).toBe(65)
	})
	// Proves: guard-limit.usage-kept
	it('usage is kept by month and account', async () => {
		const owner = await someone()
		await owner.ask()
		await expect
			.poll(async () => {
				const [row] = await database.sql`select calls, tokens from guard_usage where account_id = ${owner.id}`
				return row
			})
			.toEqual({ calls: 1, tokens: 9 })
	})
})
