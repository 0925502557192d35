import { expect, test, vi } from 'vitest'

const seen = vi.hoisted(() => ({ now: 0, most: 0 }))

// The real library, with a count of the computations that are under way.
vi.mock('argon2', async (load) => {
	const real = await load<typeof import('argon2')>()
	const counted = async <T>(work: Promise<T>): Promise<T> => {
		seen.most = Math.max(seen.most, ++seen.now)
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
	const { hashSecret, matches } = await import('../../../../host/auth/hashing.ts')
	const hash = await hashSecret('right')
	const checks = Array.from({ length: 12 }, (_, n) => matches(hash, n % 2 ? 'right' : 'wrong'))
	expect((await Promise.all(checks)).filter(Boolean)).toHaveLength(6)
	expect(seen).toEqual({ now: 0, most: 2 })
})
