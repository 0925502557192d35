import type { GuardAccount } from '../platform.ts'

/** Price in 1/10,000 credit: 100 credits for a million input tokens (spec guard-limit.price). */
const unitsPerToken = 1
const unitsPerCredit = 10_000

export function cost(account: GuardAccount, tokens: number): number {
	return account.tester ? 0 : tokens * unitsPerToken
}

export function credits(units: number): number {
	return units / unitsPerCredit
}

/** `allowance_remaining` (spec guard.allowance-credits): `<n>` is a plain decimal of at most four places. */
export function allowance(account: GuardAccount, balance: number): string {
	if (account.tester) return 'unlimited (tester)'
	const whole = Math.floor(balance / unitsPerCredit)
	const part = String(balance % unitsPerCredit)
		.padStart(4, '0')
		.replace(/0+$/, '')
	return `${whole}${part && `.${part}`} credits (Platform credits)`
}
