import postgres from 'postgres'
import { expect, onTestFinished, test, vi } from 'vitest'
import { batched } from '../../../../host/db/batch.ts'

/** Statements that wait until they are let go. */
function gate() {
	const sizes: number[] = []
	const open: (() => void)[] = []
	const write = async (items: number[]): Promise<(number | Error)[]> => {
		sizes.push(items.length)
		await new Promise<void>((resolve) => open.push(resolve))
		return items.map((n) => (n === 13 ? new Error('thirteen') : n * 2))
	}
	return { sizes, open, write }
}

/** With a clock that moves by the test alone. */
function stillGate() {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
	onTestFinished(() => void vi.useRealTimers())
	return gate()
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('calls of one turn go out as one statement, each with its own result', async () => {
	const { sizes, open, write } = gate()
	const double = batched(write)
	const all = Promise.allSettled([1, 13, 3].map(double))
	await turn()
	expect(sizes).toEqual([3])
	open[0]?.()
	expect(await all).toEqual([
		{ status: 'fulfilled', value: 2 },
		{ status: 'rejected', reason: new Error('thirteen') },
		{ status: 'fulfilled', value: 6 },
	])
})

test('calls made while the lanes are taken wait together', async () => {
	const { sizes, open, write } = gate()
	const double = batched(write, { lanes: 1 })
	const first = double(1)
	await turn()
	const later = [2, 3, 4].map(double)
	await turn()
	expect(sizes).toEqual([1])
	open[0]?.()
	await first
	await turn()
	expect(sizes).toEqual([1, 3])
	open[1]?.()
	expect(await Promise.all(later)).toEqual([4, 6, 8])
})

test('with many in flight, a statement waits for a third of them, or for twice what the last one took', async () => {
	const { sizes, open, write } = stillGate()
	const double = batched(write, { inFlight: () => 30 })
	const first = double(1)
	await turn()
	vi.advanceTimersByTime(5)
	open[0]?.()
	await first
	await turn()
	for (let n = 1; n < 10; n++) void double(n)
	await turn()
	expect(sizes).toEqual([1])
	void double(10)
	await turn()
	expect(sizes).toEqual([1, 10])
	void double(11)
	vi.advanceTimersByTime(9)
	await turn()
	expect(sizes).toEqual([1, 10])
	vi.advanceTimersByTime(1)
	await turn()
	expect(sizes).toEqual([1, 10, 1])
})

test('beside many that are silent, one waits once', async () => {
	const { sizes, open, write } = stillGate()
	const double = batched(write, { inFlight: () => 30 })
	const one = async (n: number, waitMs: number) => {
		const done = double(n)
		vi.advanceTimersByTime(waitMs)
		await turn()
		vi.advanceTimersByTime(5)
		open[n]?.()
		await done
		await turn()
	}
	await one(0, 0)
	await one(1, 10)
	await one(2, 0)
	const both = [double(3), double(4)]
	await turn()
	expect(sizes).toEqual([1, 1, 1, 2])
	vi.advanceTimersByTime(5)
	open[3]?.()
	await Promise.all(both)
	await turn()
	void double(5)
	await turn()
	expect(sizes).toEqual([1, 1, 1, 2])
})

test('with few in flight, nothing waits', async () => {
	const { sizes, open, write } = stillGate()
	const double = batched(write, { inFlight: () => 7 })
	const first = double(1)
	await turn()
	vi.advanceTimersByTime(5)
	open[0]?.()
	await first
	void double(2)
	await turn()
	expect(sizes).toEqual([1, 1])
})

test('one bad item fails alone when the statement is refused for it', async () => {
	const refused = (message: string) =>
		Object.assign(Object.create(postgres.PostgresError.prototype), { message })
	const write = async (items: number[]) => {
		if (items.includes(13)) throw refused('no thirteen')
		return items
	}
	const same = batched(write)
	const all = await Promise.allSettled([1, 13, 3].map(same))
	expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('every item is rejected, and none is tried again, when the connection is lost', async () => {
	let statements = 0
	const same = batched(async (_items: number[]): Promise<number[]> => {
		statements++
		throw new Error('connection lost')
	})
	const all = await Promise.allSettled([1, 2].map(same))
	expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
	expect(statements).toBe(1)
})
