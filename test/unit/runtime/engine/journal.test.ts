import { expect, test } from 'vitest'
import { createRecorder, type HostLink } from '../../../../runtime/process/engine/recorder.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import {
	answer,
	CONNECTOR,
	type Guest,
	type Program,
	still,
	withTools,
	world,
} from '../../../kit/engine/fakes.ts'

// What is written down when: nothing waits for the database but what must not happen twice.

const ask = (guest: Guest) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [] })
const callTool: Program = async (guest) => {
	await ask(guest)
	return ((await guest.effect('tool.call', { name: 'a', input: {} })) as { output: string }).output
}
const types = (entries: Entry[] | undefined) => entries?.map(({ type }) => type)

// Proves: journal.write-ahead
test('a tool call that is not repeatable waits for the journal, with its own start in it', async () => {
	const { begin, host, connectors } = world({
		program: callTool,
		yaml: withTools('a'),
		tools: [{ name: 'a' }],
		services: still,
	})
	let called = false
	let committed = false
	connectors.reply = () => {
		called = true
		expect(committed).toBe(true)
		return { ok: true, output: 'done' }
	}
	host.onCommit = async (entries) => {
		if (!entries.some(({ type }) => type === 'tool.started')) return
		await new Promise((resolve) => setTimeout(resolve, 50))
		expect(called).toBe(false)
		committed = true
	}
	expect((await begin()).outcome).toEqual({ status: 'succeeded', output: '"done"' })
	// On a busy machine what came before the tool may go out alone.
	expect(types(host.journal)).toEqual([
		...['run.started', 'model.started', 'model.completed', 'tool.started'],
		...['tool.completed', 'run.completed'],
	])
})

// Proves: journal.no-needless-wait
test('a repeatable tool call waits for nothing', async () => {
	const { begin, host } = world({
		program: callTool,
		yaml: withTools('a', `tools: { "${CONNECTOR}/a": { idempotent: true } }\n`),
		tools: [{ name: 'a' }],
		services: still,
	})
	expect((await begin()).outcome.status).toBe('succeeded')
	expect(host.commits).toHaveLength(1)
})

// Proves: journal.hints
test("a server's own hints make no call repeatable, but for the guard of this host", async () => {
	const options = {
		program: callTool,
		yaml: withTools('a'),
		tools: [{ name: 'a', readOnly: true, idempotent: true }],
	}
	const foreign = world(options)
	await foreign.begin()
	expect(foreign.host.commits.length).toBeGreaterThan(1)
	const own = world({ ...options, services: { ...still, guardUrl: CONNECTOR } })
	await own.begin()
	expect(own.host.commits).toHaveLength(1)
})

// Proves: journal.write-ahead
test('the answer of a call that is not repeatable is written down at once', async () => {
	const more = Promise.withResolvers<void>()
	const { begin, host } = world({
		yaml: withTools('a'),
		tools: [{ name: 'a' }],
		model: async () => {
			await more.promise
			return answer('x')
		},
		program: async (guest) => {
			await guest.effect('tool.call', { name: 'a', input: {} })
			await ask(guest)
			return 'done'
		},
		services: still,
	})
	const ended = begin()
	await expect.poll(() => types(host.journal)).toContain('tool.completed')
	more.resolve()
	await ended
})

test('a long run is written down while it goes on', async () => {
	const more = Promise.withResolvers<void>()
	const { begin, host } = world({
		model: async () => {
			await more.promise
			return answer('x')
		},
		program: async (guest) => {
			await ask(guest)
			return 'done'
		},
	})
	const ended = begin()
	await expect.poll(() => types(host.journal)).toEqual(['run.started', 'model.started'])
	more.resolve()
	await ended
})

// Proves: event.order
test('a stream is told what the model says, in order, in few pieces', async () => {
	const { begin, host } = world({
		model: async (_, { onDelta }) => {
			for (let i = 0; i < 100; i++) {
				onDelta?.(`${i} `)
				if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 25))
			}
			return answer('whole')
		},
		program: async (guest) => {
			await ask(guest)
			return 'done'
		},
	})
	await begin({ stream: true })
	const deltas = host.journal.filter(({ type }) => type === 'model.delta')
	expect(deltas.map(({ data }) => data.text).join('')).toBe(
		Array.from({ length: 100 }, (_, i) => `${i} `).join(''),
	)
	expect(deltas.length).toBeGreaterThan(1)
	expect(deltas.length).toBeLessThan(10)
	expect((types(host.journal) ?? []).indexOf('model.completed')).toBe(
		(types(host.journal) ?? []).lastIndexOf('model.delta') + 1,
	)
	expect(host.commits.length).toBeGreaterThan(2)
})

// Proves: event.deltas-on-demand
test('deltas are recorded from when somebody reads, and not before', async () => {
	const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
	const { begin, engine, host, requests } = world({
		model: async (_, { onDelta }) => {
			onDelta?.('unheard ')
			await first.promise
			onDelta?.('heard')
			await second.promise
			return answer('whole')
		},
		program: async (guest) => {
			await ask(guest)
			return 'done'
		},
	})
	const ended = begin()
	await expect.poll(() => requests.length).toBe(1)
	engine.watch('run_1')
	first.resolve()
	await expect.poll(() => types(host.journal)).toContain('model.delta')
	second.resolve()
	await ended
	expect(host.journal.filter(({ type }) => type === 'model.delta').map(({ data }) => data.text)).toEqual([
		'heard',
	])
})

// Proves: journal.fenced
test('a run that another host owns stops without a word', async () => {
	const { begin, host, engine, connectors, sandboxes } = world({
		program: callTool,
		yaml: withTools('a'),
		tools: [{ name: 'a' }],
	})
	host.failures.push('fenced')
	void begin()
	await expect.poll(() => engine.runs()).toBe(0)
	expect([connectors.calls.length, sandboxes.live, host.commits.length]).toEqual([0, 0, 0])
})

// Proves: journal.fenced
test('a run whose end is refused as fenced is gone too', async () => {
	const { begin, host, engine, sandboxes } = world({ program: async () => 'done' })
	host.failures.push('fenced')
	void begin()
	await expect.poll(() => sandboxes.jobs.length).toBe(1)
	await expect.poll(() => engine.runs()).toBe(0)
	expect(host.commits).toEqual([])
})

test('a commit that fails is made again until it holds', async () => {
	const { begin, host, connectors } = world({
		program: callTool,
		yaml: withTools('a'),
		tools: [{ name: 'a' }],
	})
	host.failures.push('internal', 'timeout', undefined, undefined, 'internal')
	expect((await begin()).outcome.status).toBe('succeeded')
	expect(connectors.calls).toHaveLength(1)
	expect(host.journal.map(({ seq }) => seq)).toEqual(host.journal.map((_, i) => i + 1))
})

test('a run that is begun again under a newer epoch replaces the one under way', async () => {
	const seen: number[] = []
	const { begin, sandboxes, engine } = world({
		program: async (guest) => {
			seen.push(seen.length)
			if (seen.length === 1) await new Promise(() => undefined)
			guest.issue('log', { level: 'info', message: 'second' })
			return 'second'
		},
	})
	void begin()
	await expect.poll(() => seen.length).toBe(1)
	const { outcome } = await begin({ epoch: 2, attempt: 2 })
	expect(outcome).toEqual({ status: 'succeeded', output: '"second"' })
	expect(sandboxes.live).toBe(0)
	await expect.poll(() => engine.runs()).toBe(0)
})

// Proves: journal.stop-finishes-call
test('at shutdown a run ends within the grace or is handed over at an effect’s end', async () => {
	const gate = Promise.withResolvers<void>()
	const { begin, host, engine, requests, sandboxes } = world({
		model: async () => {
			await gate.promise
			return answer('x')
		},
		program: async (guest) => {
			await ask(guest)
			await ask(guest)
			return 'done'
		},
	})
	void begin()
	await expect.poll(() => requests.length).toBe(1)
	const closed = engine.close(50)
	setTimeout(gate.resolve, 150)
	await closed
	expect(types(host.journal)).toEqual(['run.started', 'model.started', 'model.completed'])
	expect([requests.length, sandboxes.live]).toEqual([1, 0])
	await expect.poll(() => engine.runs()).toBe(0)
	expect(engine.runs()).toBe(0)
})

// Proves: journal.stop-finishes-call
test('at shutdown a run is left as soon as nothing of it is under way, a tool call at its end or after its time', async () => {
	const gate = Promise.withResolvers<void>()
	let programs = 0
	const { begin, host, engine, connectors } = world({
		program: async (guest) => {
			if (programs++ > 0) await new Promise(() => undefined)
			await callTool(guest)
			await ask(guest)
			return 'done'
		},
		yaml: withTools('a'),
		tools: [{ name: 'a' }],
	})
	connectors.reply = async () => {
		await gate.promise
		return { ok: true, output: 'done' }
	}
	const left = () => host.notes.flatMap(([method, args]) => (method === 'run.left' ? [args.run] : []))
	void begin()
	await expect.poll(() => connectors.calls.length).toBe(1)
	void begin({ run: 'run_2' })
	await expect.poll(() => programs).toBe(2)
	const closed = engine.close(0, 60_000)
	await expect.poll(left).toEqual(['run_2'])
	gate.resolve()
	await closed
	expect(left()).toEqual(['run_2', 'run_1'])
	expect(types(host.journal)?.at(-1)).toBe('tool.completed')

	const late = world({ program: callTool, yaml: withTools('a'), tools: [{ name: 'a' }] })
	late.connectors.reply = () => new Promise(() => undefined)
	void late.begin()
	await expect.poll(() => late.connectors.calls.length).toBe(1)
	await late.engine.close(0, 0)
	expect(types(late.host.journal)?.at(-1)).toBe('tool.started')
	expect(late.host.notes.map(([method]) => method)).toContain('run.left')
})

test('what waits is written down soon', async () => {
	const commits: Entry[][] = []
	let time = 600_000
	const recorder = createRecorder({
		host: {
			call: async (_name: string, { entries }: { entries: Entry[] }) => void commits.push(entries),
		} as unknown as HostLink,
		run: 'run_1',
		epoch: 2,
		lastSeq: 7,
		at: () => time,
		onAbandoned: (error) => expect.fail(error.message),
	})
	expect(recorder.append({ type: 'log', data: {} })).toMatchObject({ seq: 8, at: 600_000 })
	time += 100
	recorder.flushIfDue(false)
	expect(commits).toHaveLength(0)
	time += 200
	recorder.flushIfDue(false)
	await recorder.barrier()
	expect(commits).toMatchObject([[{ seq: 8 }]])
})
