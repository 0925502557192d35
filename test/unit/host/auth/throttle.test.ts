import { expect, test } from 'vitest'
import { type EndTry, signInThrottle } from '../../../../host/auth/throttle.ts'

const email = 'ada@example.com'
const isHeard = (answer: number | EndTry) => typeof answer !== 'number'

// Proves: account.throttled
test('tries under way count as failed, and no more once they were right or not judged', async () => {
	const throttle = signInThrottle()
	const begin = () => throttle.begin(email, '192.0.2.1')
	const first = await Promise.all(Array.from({ length: 20 }, begin))
	expect(first.filter(isHeard)).toHaveLength(6)
	expect(first.at(-1)).toBe(1)
	// Elsewhere its owner is heard.
	expect(isHeard(await throttle.begin(email, '192.0.2.2'))).toBe(true)
	for (const end of first) if (typeof end !== 'number') end('unjudged')
	const again = await Promise.all(Array.from({ length: 6 }, begin))
	expect(again.every(isHeard)).toBe(true)
	for (const end of again.slice(1)) (end as EndTry)('failed')
	expect(await begin()).toBe(1)
	;(again[0] as EndTry)('succeeded')
	expect(isHeard(await begin())).toBe(true)
})

// Proves: account.throttled
test('what failed counts on, and an address counts over all accounts', async () => {
	const throttle = signInThrottle()
	for (let n = 0; n < 6; n++) ((await throttle.begin(email, '192.0.2.1')) as EndTry)('failed')
	expect(await throttle.begin(email, '192.0.2.1')).toBeGreaterThan(500)
	const others = await Promise.all(
		Array.from({ length: 40 }, (_, n) => throttle.begin(`nobody${n}@example.com`, '192.0.2.1')),
	)
	expect(others.filter(isHeard)).toHaveLength(24)
})
