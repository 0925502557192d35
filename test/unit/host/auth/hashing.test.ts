import { expect, test, vi } from 'vitest'

const seen = vi.hoisted(() => ({ now: 0, most: 0, hold: Promise.resolve() }))

// The real library, with a count of the computations that are under way.
vi.mock('argon2', async (load) => {
	const real = await load<typeof import('argon2')>()
	const counted = async <T>(work: Promise<T>): Promise<T> => {
		seen.most = Math.max(seen.most, ++seen.now)
		await seen.hold
		return work.finally(() => seen.now--)
	}
	return {
		...real,
		hash: (...all: Parameters<typeof real.hash>) => counted(real.hash(...all)),
		verify: (...all: Parameters<typeof real.verify>) => counted(real.verify(...all)),
	}
})

// Proves: account.secret-hashing-bounded
test('at most two argon2 computations run at a time', async () => {
	// A file before this one in the same process may have loaded it with the real library.
	vi.resetModules()
	const { hashSecret, matchesSecret } = await import('../../../../host/auth/hashing.ts')
	const hash = await hashSecret('right')
	const checks = Array.from({ length: 12 }, (_, n) => matchesSecret(hash, n % 2 ? 'right' : 'wrong'))
	expect((await Promise.all(checks)).filter(Boolean)).toHaveLength(6)
	expect(seen).toMatchObject({ now: 0, most: 2 })
})

// Proves: account.secret-queue
test('passwords that wait turn no bearer secret away', async () => {
	vi.resetModules()
	const { hashPassword, hashSecret, matchesPassword, matchesSecret } = await import(
		'../../../../host/auth/hashing.ts'
	)
	const [known, secret] = [await hashPassword('right'), await hashSecret('right')]
	let release = () => {}
	seen.hold = new Promise((resolve) => {
		release = resolve
	})
	const flood = Array.from({ length: 100 }, () =>
		matchesPassword(known, 'wrong').then(
			() => 'judged',
			(error) => error.code as string,
		),
	)
	// One is computed and 64 wait; of the secrets one is computed, beside it.
	const check = matchesSecret(secret, 'right')
	await vi.waitFor(() => expect(seen.now).toBe(2))
	release()
	expect(await check).toBe(true)
	const ends = await Promise.all(flood)
	expect(ends.filter((end) => end === 'judged')).toHaveLength(65)
	expect(ends.filter((end) => end === 'overloaded')).toHaveLength(35)
})
