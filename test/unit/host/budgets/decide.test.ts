import { describe, expect, test } from 'vitest'
import type { BudgetAccount } from '../../../../host/budgets/accounts.ts'
import { type Ask, decide } from '../../../../host/budgets/decide.ts'

// What a call is granted by the budgets it counts against.

const account = (changes: Partial<BudgetAccount> = {}): BudgetAccount => ({
	scope: 'deployment',
	id: 'dep_1',
	budgets: { tokens_per_month: 10_000 },
	tokens: 0,
	usd_micros: 0,
	unpriced: false,
	reserved_tokens: 0,
	reserved_micros: 0,
	warned: 0,
	...changes,
})
const ask = (changes: Partial<Ask> = {}): Ask => ({
	input_tokens: 1000,
	output_tokens: { least: 500, most: 2000 },
	usd: { input: 0.001, output_token: 0.00001 },
	...changes,
})

describe('a call', () => {
	test('is granted all it may make when there is room for it beside what is under way', () => {
		const decision = decide([account({ tokens: 2000, reserved_tokens: 5000 })], ask())
		expect(decision).toEqual({ status: 'granted', output_tokens: 2000, tokens: 3000, usd_micros: 21_000 })
	})

	// Proves: budget.last-call-bounded
	test('is bounded to what is left when the budget ends within it', () => {
		expect(decide([account({ tokens: 8000 })], ask())).toMatchObject({
			status: 'granted',
			output_tokens: 1000,
			tokens: 2000,
		})
	})

	// Proves: budget.waits
	test('waits when only calls under way stand in its way', () => {
		expect(decide([account({ tokens: 2000, reserved_tokens: 6000 })], ask())).toEqual({ status: 'wait' })
		expect(decide([account({ tokens: 8000, reserved_tokens: 1000 })], ask())).toEqual({ status: 'wait' })
	})

	// Proves: budget.waits, budget.reached-told
	test.each([
		[{ tokens: 8501 }, 'does not cover another call: 8501 of 10000 tokens are used.'],
		[{ tokens: 10_000 }, 'is used up: 10000 of 10000 tokens are used.'],
		[
			{ budgets: { usd_per_month: 1 }, usd_micros: 999_000 },
			'does not cover another call: 0.999 of 1 US dollars are used.',
		],
		[{ budgets: { usd_per_month: 1 }, usd_micros: 1_000_000 }, 'is used up: 1.00 of 1 US dollars are used.'],
	])('is refused when what is left can never cover it: %j', (used, said) => {
		const message = `The month's budget of the deployment ${said}`
		expect(decide([account(used)], ask())).toMatchObject({ status: 'reached', message })
	})

	// Proves: budget.tightest
	test('is held to the tightest of its budgets, in tokens or in dollars', () => {
		const key = account({ scope: 'key', id: 'key_1', budgets: { usd_per_month: 0.02 }, usd_micros: 4000 })
		const decision = decide([account(), key], ask())
		expect(decision).toMatchObject({ status: 'granted', output_tokens: 1499 })
		expect((decision as { usd_micros: number }).usd_micros).toBeLessThanOrEqual(16_000)
		expect(decide([account(), { ...key, usd_micros: 15_000 }], ask())).toMatchObject({
			status: 'reached',
			account: { scope: 'key' },
		})
	})

	// Proves: budget.price-needed
	test('of a model without a price is refused by a budget in dollars, and by no other', () => {
		const dollars = account({ budgets: { usd_per_month: 100 } })
		expect(decide([dollars], ask({ usd: null }))).toMatchObject({
			status: 'reached',
			message: expect.stringMatching(/price of this model, or of the service_tier asked for, is not known/),
		})
		expect(decide([account()], ask({ usd: null }))).toMatchObject({ status: 'granted', usd_micros: 0 })
	})

	// Proves: budget.price-needed
	test('of a model that costs nothing needs no dollars', () => {
		const spent = account({ budgets: { usd_per_month: 1 }, usd_micros: 999_990 })
		expect(decide([spent], ask({ usd: { input: 0, output_token: 0 } }))).toMatchObject({ status: 'granted' })
	})
})
