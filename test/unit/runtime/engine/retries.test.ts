import { expect, test } from 'vitest'
import { createRetries } from '../../../../runtime/process/engine/retries.ts'
import { ProviderError } from '../../../../runtime/process/providers/index.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import { answer, FakeHost, type Guest, type WorldOptions, world, YAML } from '../../../kit/engine/fakes.ts'

// A model call that fails in passing is made again, within its budget of time, and every attempt is paid for.

const ask = (guest: Guest) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [] }) as Promise<{
		message: { content: string }
	}>
const program: WorldOptions['program'] = async (guest) => (await ask(guest)).message.content
const used = { input_tokens: 7, cached_input_tokens: 0, output_tokens: 3 }
const cut = () => new ProviderError('provider_unavailable', 'it broke', { passing: true, used })
const refused = () => new ProviderError('provider_rate_limited', 'later', { passing: true, waitMs: 20_000 })
/** Fails so often, then answers. */
const after = (failures: number, error: () => ProviderError): WorldOptions['model'] => {
	let calls = 0
	return async (_, { onDelta }) => {
		onDelta?.(`part ${++calls}`)
		if (calls <= failures) throw error()
		return answer('whole')
	}
}
const kinds = (entries: Entry[]) => entries.map(({ type }) => type)

/** Waits, one after the other, of a call that always fails at once. */
function waits(options: Partial<Parameters<typeof createRetries>[0]>, asked?: number): number[] {
	let at = 1_000
	const retries = createRetries({
		budgetMs: 30_000,
		leftMs: () => Number.POSITIVE_INFINITY,
		now: () => at,
		random: () => 0,
		...options,
	})
	const all: number[] = []
	for (let wait = retries.next(asked); wait !== undefined; wait = retries.next(asked)) {
		all.push(wait)
		at += wait
	}
	return all
}
const sum = (list: number[]) => list.reduce((a, b) => a + b, 0)

// Proves: provider.retried
test('waits grow, have a longest, and the last attempt begins when the budget ends', () => {
	const all = waits({})
	expect(all.slice(0, 7)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
	expect(sum(all)).toBe(30_000)
	const late = waits({ random: () => 0.999 })
	expect(late[0]).toBeGreaterThan(300)
	expect(sum(late)).toBe(30_000)
	expect(waits({ budgetMs: 0 })).toEqual([])
})

// Proves: provider.retry-wait-kept
test('a wait that is asked for is kept, and not begun beyond the budget or the run', () => {
	expect(waits({}, 10_000)).toEqual([10_000, 10_000, 10_000])
	expect(waits({}, 1)).toEqual(waits({}))
	expect(waits({}, 31_000)).toEqual([])
	expect(waits({ leftMs: () => 700 })).toEqual([250, 500])
})

// Proves: provider.retry-counted
test('every attempt stands in the journal and in the usage', async () => {
	const { begin } = world({ program, model: after(2, cut) })
	const { entries, outcome, usage } = await begin({ stream: true })
	expect(outcome).toEqual({ status: 'succeeded', output: '"whole"' })
	const attempt = ['model.started', 'model.delta']
	expect(kinds(entries)).toEqual([
		'run.started',
		...[...attempt, 'model.retrying', ...attempt, 'model.retrying', ...attempt],
		'model.completed',
		'run.completed',
	])
	expect(entries.filter(({ type }) => type === 'model.delta').map(({ data }) => data)).toEqual(
		[1, 2, 3].map((attempt) => ({ call: 1, attempt, text: `part ${attempt}` })),
	)
	expect(entries[3]?.data).toEqual({
		call: 1,
		attempt: 1,
		error: { code: 'provider_unavailable', message: 'it broke' },
		delay_ms: expect.any(Number),
		usage: { ...used, usd: null },
	})
	// Twice 7 and 3, and what the answer took.
	expect(usage).toMatchObject({ model_calls: 3, input_tokens: 24, output_tokens: 11 })
})

test('a run that goes on elsewhere in the middle of it counts the same, and asks for the same', async () => {
	const first = new FakeHost()
	const lost = world({ program, model: after(9, cut), host: first })
	void lost.begin()
	await expect.poll(() => kinds(first.journal).filter((type) => type === 'model.retrying').length).toBe(2)
	const committed = first.journal
	lost.engine.drop('run_1')
	const { begin } = world({ program, model: after(0, cut) })
	const { entries, outcome, usage } = await begin({ journal: committed, attempt: 2, epoch: 2 })
	expect(outcome.status).toBe('succeeded')
	const started = [...committed, ...entries].filter(({ type }) => type === 'model.started')
	expect(started.map(({ data }) => data.attempt ?? 1)).toEqual(started.map((_, i) => i + 1))
	expect(new Set(started.map(({ digest }) => digest)).size).toBe(1)
	expect(usage).toMatchObject({ model_calls: started.length, input_tokens: 24, output_tokens: 11 })
})

test('a call that waits when its host stops is left to the next, not recorded as failed', async () => {
	const { begin, engine, host } = world({ program, model: after(9, refused) })
	void begin()
	await expect.poll(() => kinds(host.journal)).toContain('model.retrying')
	await engine.close(0)
	expect(kinds(host.journal)).toEqual(['run.started', 'model.started', 'model.retrying'])
})

// Proves: provider.retry-counted
test('what lost attempts have used counts against limits.tokens', async () => {
	const dear = () =>
		new ProviderError('provider_unavailable', 'it broke', {
			passing: true,
			used: { ...used, input_tokens: 90_000 },
		})
	const yaml = `${YAML}limits: { tokens: 100000 }\n`
	const { begin, requests } = world({ program, yaml, model: after(9, dear) })
	const { outcome, usage } = await begin()
	expect(outcome).toMatchObject({ status: 'failed', error: { code: 'token_limit_reached' } })
	expect([requests.length, usage.input_tokens]).toEqual([2, 180_000])
})

test('a budget is settled with each attempt, and asked for the next', async () => {
	const told: [string, number?][] = []
	class Budgeted extends FakeHost {
		override async call(method: never, args: unknown): Promise<never> {
			const name = method as string
			if (!name.startsWith('budget.')) return super.call(method, args)
			const { tokens } = args as { tokens?: number }
			told.push(tokens === undefined ? [name] : [name, tokens])
			return { status: 'granted', output_tokens: 1_000, warnings: [] } as never
		}
	}
	const { begin } = world({ program, model: after(1, cut), host: new Budgeted() })
	await begin({ budget: true })
	expect(told).toEqual([['budget.reserve'], ['budget.settle', 10], ['budget.reserve'], ['budget.settle', 15]])
})

// Proves: provider.not-retried
test('a call that is refused for good is made once, and says how often it was tried', async () => {
	const never = () => new ProviderError('agent_error', 'no such model')
	const once = world({ program, model: after(9, never) })
	expect((await once.begin()).outcome).toMatchObject({ error: { message: 'no such model' } })
	expect(once.requests).toHaveLength(1)
	const yaml = YAML.replace('name: m,', 'name: m, retry_seconds: 0.25,')
	const twice = world({ program, yaml, model: after(9, cut) })
	expect((await twice.begin()).outcome).toMatchObject({ error: { message: 'it broke (attempt 2)' } })
	expect(twice.requests).toHaveLength(2)
})
