import { expect, test } from 'vitest'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import {
	answer,
	CONNECTOR,
	type FakeHost,
	type Guest,
	type Program,
	type WorldOptions,
	withTools,
	world,
} from '../../../kit/engine/fakes.ts'

// What is recorded is never done again, and a run goes on from there to the same end.

const repeatable = (...names: string[]) =>
	withTools(
		names.join(', '),
		`tools: { ${names.map((name) => `"${CONNECTOR}/${name}": { idempotent: true }`).join(', ')} }\n`,
	)
const ask = (guest: Guest, content: string) =>
	guest.effect('model', { messages: [{ role: 'user', content }], tools: [] }) as Promise<{
		message: { content: string }
	}>

/** Uses every kind of effect, parallel ones among them, and the guest's clock. */
const rich: Program = async (guest) => {
	guest.issue('tools.declare', { tools: [{ name: 'own', description: 'o', input: { type: 'object' } }] })
	guest.issue('log', { level: 'info', message: 'begun' })
	const first = await ask(guest, 'one')
	const pair = await Promise.all(
		['a', 'b'].map(async (name) => {
			const { output } = (await guest.effect('tool.call', { name, input: { q: first.message.content } })) as {
				output: string
			}
			return `${name}:${output}@${guest.now()}`
		}),
	)
	await guest.effect('memory.write', { path: 'notes.md', content: pair.join() })
	const refused = await ask(guest, 'fail').catch((error: { code: string }) => error.code)
	const started = guest.issue('tool.local', { name: 'own', input: {} })
	const { content } = (await guest.effect('memory.read', { path: 'notes.md' })) as { content: string }
	guest.issue('tool.local.done', { started, ok: true, output: 'x' })
	const last = await ask(guest, `two ${content}`)
	return [content, refused, last.message.content, guest.now()].join('|')
}

/** Counts what happens outside; `a` is slower than `b`, so that order of delivery is not order of asking. */
function outside() {
	const done: string[] = []
	const options: WorldOptions = {
		program: rich,
		yaml: repeatable('a', 'b'),
		tools: [{ name: 'a' }, { name: 'b' }],
		model: async ({ messages }) => {
			const { content } = messages[0] as { content: string }
			done.push(`model ${content.slice(0, 4)}`)
			if (content === 'fail') {
				const { ProviderError } = await import('../../../../runtime/process/providers/index.ts')
				throw new ProviderError('provider_rate_limited', 'slow down')
			}
			return answer(`answer to ${content.length}`)
		},
	}
	const start = (host?: FakeHost) => {
		const made = world({ ...options, ...(host ? { host } : {}) })
		made.connectors.reply = async (tool, input) => {
			await new Promise((resolve) => setTimeout(resolve, tool === 'a' ? 6 : 1))
			done.push(`tool ${tool}`)
			return { ok: true, output: `${tool} ${(input as { q: string }).q}` }
		}
		return made
	}
	return { done, start }
}

const closed = (journal: Entry[]) =>
	journal.filter(({ ok, result }) => ok !== undefined && result !== undefined)

// Proves: journal.step-once, journal.delivery-order
test('a run cut at any entry of its journal goes on to the same output, and nothing finished is done twice', async () => {
	const calm = outside()
	const first = calm.start()
	const { outcome, entries } = await first.begin()
	expect(outcome.status).toBe('succeeded')
	expect(calm.done).toHaveLength(5)
	const journal = entries.slice(0, -1)
	expect(journal.length).toBeGreaterThan(14)
	for (let cut = 0; cut <= journal.length; cut++) {
		const prefix = journal.slice(0, cut)
		const again = outside()
		const second = again.start()
		// What was written before the cut is still there.
		if (prefix.some(({ type }) => type === 'memory.changed')) second.host.memory = first.host.memory
		const resumed = await second.begin({ attempt: 2, epoch: 2, journal: prefix })
		const finished = closed(prefix).filter(
			({ type }) => type === 'model.completed' || type === 'tool.completed',
		)
		expect(again.done, `cut at ${cut}`).toHaveLength(5 - finished.length)
		expect(resumed.outcome.status, `cut at ${cut}`).toBe('succeeded')
		expect(clockless(resumed.outcome), `cut at ${cut}`).toBe(clockless(outcome))
		expect(resumed.entries.map(({ seq }) => seq)).toEqual(
			Array.from({ length: resumed.entries.length }, (_, i) => cut + 1 + i),
		)
		expect(resumed.usage.input_tokens, `cut at ${cut}`).toBe(20)
	}
	const whole = await outside().start().begin({ attempt: 2, epoch: 2, journal })
	expect(whole.outcome).toEqual(outcome)
})

/** Times are those of the deliveries; where some of them are new, only the text around them is compared. */
const clockless = (value: unknown) => JSON.stringify(value).replace(/\d{13}/g, 'T')

// Proves: journal.sandbox-lost
test('a sandbox that is lost at any point is replaced without a trace outside', async () => {
	const calm = outside()
	const { outcome } = await calm.start().begin()
	for (let at = 1; at <= 14; at += 2) {
		const shaken = outside()
		const { begin, sandboxes, engine } = shaken.start()
		const ended = begin()
		const killAfter = at
		const watch = setInterval(() => {
			const [job] = sandboxes.jobs
			if (job && sandboxes.jobs.length === 1 && shaken.done.length * 3 >= killAfter) sandboxes.kill()
		}, 1)
		const end = await ended
		clearInterval(watch)
		expect(clockless(end.outcome), `killed at ${at}`).toBe(clockless(outcome))
		expect(shaken.done, `killed at ${at}`).toHaveLength(5)
		expect(end.entries.filter(({ type }) => type === 'run.started')).toHaveLength(1)
		await expect.poll(() => engine.runs()).toBe(0)
	}
})

// Proves: journal.sandbox-lost
test('a sandbox that is lost under a call in flight does not make the call again', async () => {
	let calls = 0
	const gate = Promise.withResolvers<void>()
	const { begin, sandboxes, requests } = world({
		program: async (guest) => (await ask(guest, 'x')).message.content,
		model: async () => {
			calls++
			await gate.promise
			return answer('once')
		},
	})
	const ended = begin()
	await expect.poll(() => requests.length).toBe(1)
	sandboxes.kill()
	await expect.poll(() => sandboxes.jobs.length).toBe(2)
	gate.resolve()
	expect((await ended).outcome).toEqual({ status: 'succeeded', output: '"once"' })
	expect(calls).toBe(1)
})

// Proves: journal.sandbox-lost-often
test('a run whose sandbox is lost again and again ends, unless others are at fault', async () => {
	const { begin, sandboxes } = world({ program: () => new Promise(() => undefined) })
	const ended = begin()
	for (let i = 1; i <= 10; i++) {
		await expect.poll(() => sandboxes.jobs.length).toBe(i)
		sandboxes.kill({ blameless: i <= 6 })
	}
	expect((await ended).outcome).toMatchObject({ status: 'failed', error: { code: 'agent_error' } })
	expect(sandboxes.jobs).toHaveLength(10)
})

// Proves: sandbox.starved
test('a run that is starved has more of the clock each time, and cannot be for ever', async () => {
	const { begin, sandboxes } = world({ program: () => new Promise(() => undefined) })
	const ended = begin()
	for (let i = 1; i <= 9; i++) {
		await expect.poll(() => sandboxes.jobs.length).toBe(i)
		sandboxes.kill({ blameless: true, starved: true })
	}
	expect((await ended).outcome).toMatchObject({ status: 'failed', error: { code: 'agent_error' } })
	expect(sandboxes.jobs.map(({ starved }) => starved)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

// Proves: journal.unknown-outcome
test('a tool call that was under way at a crash ends the run as outcome_unknown, and is not made again', async () => {
	const program: Program = async (guest) => guest.effect('tool.call', { name: 'a', input: {} })
	const first = world({ program, yaml: withTools('a'), tools: [{ name: 'a' }] })
	const crashed = new Promise<Entry[]>((resolve) => {
		first.connectors.reply = () => {
			resolve(first.host.journal)
			return new Promise(() => undefined)
		}
	})
	void first.begin()
	const journal = await crashed
	expect(journal.map(({ type }) => type)).toEqual(['run.started', 'tool.started'])
	const second = world({ program, yaml: withTools('a'), tools: [{ name: 'a' }] })
	const { outcome } = await second.begin({ attempt: 2, epoch: 2, journal })
	expect(outcome).toMatchObject({
		status: 'failed',
		error: { code: 'outcome_unknown', message: expect.stringContaining('A call of a was under way') },
	})
	expect([second.connectors.calls.length, second.sandboxes.jobs.length]).toEqual([0, 0])
})

// Proves: journal.repeatable-again
test('a repeatable tool call that was under way at a crash is made again, and counted as another attempt', async () => {
	const program: Program = async (guest) =>
		((await guest.effect('tool.call', { name: 'a', input: {} })) as { output: string }).output
	const options = { program, yaml: repeatable('a'), tools: [{ name: 'a' }] }
	const { entries } = await world(options).begin()
	const journal = entries.slice(0, 2)
	expect(journal.at(-1)?.type).toBe('tool.started')
	const again = world(options)
	const resumed = await again.begin({ attempt: 2, epoch: 2, journal })
	expect(resumed.outcome.status).toBe('succeeded')
	expect(again.connectors.calls).toHaveLength(1)
	expect(resumed.entries.find(({ type }) => type === 'tool.started')?.data).toMatchObject({ attempt: 2 })
})

// Proves: journal.model-again
test('a model call without a committed answer is made again as another attempt of the same step', async () => {
	const yaml = 'name: a\nmodel: { provider: openai, name: m }\nlimits: { steps: 1 }\n'
	const options = { yaml, program: async (guest: Guest) => (await ask(guest, 'x')).message.content }
	const { entries } = await world(options).begin()
	const again = world(options)
	const resumed = await again.begin({ attempt: 2, epoch: 2, journal: entries.slice(0, 2) })
	expect(resumed.outcome).toEqual({ status: 'succeeded', output: '"hello"' })
	expect(resumed.entries.find(({ type }) => type === 'model.started')?.data).toMatchObject({ attempt: 2 })
	expect(resumed.usage.model_calls).toBe(2)
})

// Proves: journal.diverged
test('a program that asks for something else than before has diverged', async () => {
	const say =
		(text: string): Program =>
		async (guest) =>
			(await ask(guest, text)).message.content
	const { entries } = await world({ program: say('one') }).begin()
	const changed = world({ program: say('two') })
	const resumed = await changed.begin({ attempt: 2, epoch: 2, journal: entries.slice(0, -1) })
	expect(resumed.outcome).toMatchObject({ status: 'failed', error: { code: 'replay_diverged' } })
	expect(changed.requests).toEqual([])
})

// Proves: journal.diverged
test('a program that ends before it asked for what it asked for before has diverged', async () => {
	const { entries } = await world({
		program: async (guest) => (await ask(guest, 'one')).message.content,
	}).begin()
	const { outcome } = await world({ program: async () => 'early' }).begin({
		attempt: 2,
		epoch: 2,
		journal: entries.slice(0, -1),
	})
	expect(outcome).toMatchObject({ error: { code: 'replay_diverged' } })
})

test('limits count what earlier attempts used', async () => {
	const yaml = 'name: a\nmodel: { provider: openai, name: m }\nlimits: { steps: 2 }\n'
	const program: Program = async (guest) => {
		for (let i = 0; ; i++) await ask(guest, String(i))
	}
	const { entries } = await world({ yaml, program }).begin()
	const again = world({ yaml, program })
	const { outcome } = await again.begin({ attempt: 2, epoch: 2, journal: entries.slice(0, 3) })
	expect(outcome).toMatchObject({ error: { code: 'step_limit_reached' } })
	expect(again.requests).toHaveLength(1)
})

test('time that earlier attempts used counts, and time between attempts does not', async () => {
	const yaml = 'name: a\nmodel: { provider: openai, name: m }\nlimits: { seconds: 10 }\n'
	const entry = (seq: number, at: number, type: Entry['type']): Entry => ({ seq, at, type, data: {} })
	const ago = Date.now() - 3_600_000
	const used = (first: number, second: number) => [
		entry(1, ago, 'run.started'),
		entry(2, ago + first, 'log'),
		entry(3, ago + 1_000_000, 'run.started'),
		entry(4, ago + 1_000_000 + second, 'log'),
	]
	const fine = await world({ yaml, program: async () => 'done' }).begin({
		journal: used(4000, 5000),
		attempt: 3,
	})
	expect(fine.outcome.status).toBe('succeeded')
	const late = world({ yaml, program: () => new Promise(() => undefined) })
	expect((await late.begin({ journal: used(4000, 6100), attempt: 3 })).outcome).toMatchObject({
		error: { code: 'time_limit_reached' },
	})
})

// Proves: event.attempts
test('each beginning of a run has the next attempt, also where its host counts anew', async () => {
	const entry = (seq: number, type: Entry['type']): Entry => ({ seq, at: seq, type, data: {} })
	const { entries } = await world({ program: async () => 'done' }).begin({
		journal: [entry(1, 'run.started'), entry(2, 'run.waiting')],
		attempt: 1,
	})
	expect(entries.find(({ type }) => type === 'run.started')?.data).toMatchObject({ attempt: 2 })
})

test('a program that ended because of a refused effect ends with the same code when it is run again', async () => {
	const program: Program = async (guest) => guest.effect('tool.call', { name: 'none', input: {} })
	const { entries, outcome } = await world({ program, yaml: withTools('a'), tools: [{ name: 'a' }] }).begin()
	expect(outcome).toMatchObject({ error: { code: 'tool_missing' } })
	const again = await world({ program, yaml: withTools('a'), tools: [{ name: 'a' }] }).begin({
		attempt: 2,
		epoch: 2,
		journal: entries.slice(0, -1),
	})
	expect(again.outcome).toEqual(outcome)
})
