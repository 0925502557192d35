import { afterEach, describe, expect, test } from 'vitest'
import { openPool, type ThreadPool } from '../../../bundles/index.ts'

type Question = number | 'for ever' | 'heap' | 'throw'
let pool: ThreadPool<Question, Question>

const open = (more: Partial<Parameters<typeof openPool>[0]> = {}) => {
	pool = openPool<Question, Question>({
		file: new URL('./spin-worker.ts', import.meta.url),
		size: 1,
		heapMb: 32,
		jobMs: 5_000,
		lostMs: 60_000,
		perOwner: 100,
		waiting: 150,
		...more,
	})
	return pool
}
afterEach(() => pool.close())

describe('a pool of threads', () => {
	// Proves: bundle.worker-turns
	test('lets owners take turns, however much one of them asks', async () => {
		open()
		const order: string[] = []
		const ask = (owner: string) => pool.ask(0, { owner }).then(() => order.push(owner))
		await Promise.all([
			...Array.from({ length: 50 }, () => ask('many')),
			ask('one'),
			ask('other'),
			ask('one'),
		])
		expect(order.slice(0, 6).filter((owner) => owner === 'many')).toHaveLength(3)
		expect(order).toHaveLength(53)
	})

	// Proves: bundle.worker-turns
	test('runs one job of an owner at a time and keeps a thread for the others', async () => {
		open({ size: 2 })
		const hanging = Array.from({ length: 3 }, () => pool.ask('for ever', { owner: 'slow' }))
		expect(await pool.ask(1, { owner: 'quick' })).toEqual({ answer: 1 })
		await pool.close()
		expect(await Promise.all(hanging)).toEqual(Array(3).fill({ failed: 'lost' }))
	})

	test.each([
		['for ever', 'time'],
		['heap', 'memory'],
		['throw', 'error'],
	] as const)('ends the thread of a job (%s), which alone pays for it', async (question, failed) => {
		open({ jobMs: question === 'for ever' ? 50 : 20_000 })
		const [bad, good] = await Promise.all([pool.ask(question, { owner: 'a' }), pool.ask(0, { owner: 'b' })])
		expect(bad).toEqual({ failed })
		expect(good).toEqual({ answer: 0 })
	})

	// Proves: bundle.worker-time
	test('blames no job for what the machine did not give it, and yet waits for none without end', async () => {
		open({ jobMs: 50, lostMs: 1_000 })
		expect(await pool.ask(-150, { owner: 'a' })).toEqual({ answer: -150 })
		expect(await pool.ask(-1_000_000, { owner: 'a' })).toEqual({ failed: 'lost' })
		expect(await pool.ask(1, { owner: 'b' })).toEqual({ answer: 1 })
	})

	test('ends a job whose caller has gone, also while it runs', async () => {
		open()
		const gone = new AbortController()
		const running = pool.ask('for ever', { owner: 'a', signal: gone.signal })
		const queued = pool.ask('for ever', { owner: 'a', signal: gone.signal })
		const next = pool.ask(1, { owner: 'b' })
		setTimeout(() => gone.abort(), 100)
		expect(await running).toEqual({ failed: 'aborted' })
		expect(await queued).toEqual({ failed: 'aborted' })
		expect(await next).toEqual({ answer: 1 })
		expect(await pool.ask(2, { owner: 'a' })).toEqual({ answer: 2 })
	})

	test('takes no more of one owner, and of all, than it may hold', async () => {
		open({ perOwner: 3, waiting: 5 })
		const all = [0, 1, 2].flatMap((n) => Array.from({ length: 4 }, () => pool.ask(0, { owner: `${n}` })))
		const busy = (await Promise.all(all)).map((outcome) => 'failed' in outcome)
		expect(busy.slice(0, 4).filter(Boolean)).toHaveLength(1)
		expect(busy.filter(Boolean)).toHaveLength(7)
	})

	test('asks again, when its turn comes, whether a job is still wanted', async () => {
		open({ jobMs: 50 })
		let wanted = true
		const first = pool.ask('for ever', { owner: 'a' }).then(() => {
			wanted = false
		})
		const second = pool.ask('for ever', { owner: 'a', still: () => wanted })
		await first
		expect(await second).toEqual({ failed: 'aborted' })
	})

	test('lets idle threads end, and starts others', async () => {
		open({ idleMs: 1 })
		for (const n of [1, 2, 3]) {
			expect(await pool.ask(n, { owner: 'a' })).toEqual({ answer: n })
			await new Promise((resolve) => setTimeout(resolve, 30))
		}
	})
})
