import { expect, test } from 'vitest'
import { ConnectorError } from '../../../../runtime/process/connectors/index.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import { usageOf } from '../../../../runtime/wire/usage.ts'
import { fakeMemory } from '../../../kit/engine/fake-memory.ts'
import {
	answer,
	CONNECTOR,
	type Guest,
	type Program,
	still,
	withTools,
	world,
} from '../../../kit/engine/fakes.ts'

// What a run does and what its events say. The engine between fakes, in this process.

const ask = (guest: Guest, more: object = {}) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [], ...more }) as Promise<{
		message: { content: string }
	}>

// Proves: event.order
test('a run asks the model, answers, and tells it in events', async () => {
	const { begin, requests } = world({
		program: async (guest) => (await ask(guest)).message.content,
		services: still,
	})
	const { entries, outcome, usage } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"hello"' })
	expect(usage).toEqual({
		input_tokens: 10,
		cached_input_tokens: 2,
		output_tokens: 5,
		model_calls: 1,
		tool_calls: 0,
		failed_tool_calls: 0,
		http_calls: 0,
		web_searches: 0,
		usd: null,
	})
	expect(entries.map(({ seq, type }) => [seq, type])).toEqual([
		[1, 'run.started'],
		[2, 'model.started'],
		[3, 'model.completed'],
		[4, 'run.completed'],
	])
	expect(entries[1]?.data).toEqual({ call: 1, model: 'm' })
	expect(entries[2]?.data).toMatchObject({ call: 1, model: 'm-2026', stop: 'end', text: 'hello' })
	expect(entries[3]?.data).toMatchObject({ output: 'hello', usage })
	expect(requests[0]).toMatchObject({
		provider: 'openai',
		model: 'm',
		base_url: 'http://127.0.0.1:1/v1',
		tools: [],
	})
})

// Proves: provider.usage-bounded
test('usage that is an estimate says so in the event of its call', async () => {
	const usage = { input_tokens: 3, cached_input_tokens: 0, output_tokens: 1, estimated: true as const }
	const { begin } = world({
		program: async (guest) => void (await ask(guest)),
		model: async () => answer('x', { usage }),
	})
	const { entries } = await begin()
	expect(entries.find(({ type }) => type === 'model.completed')?.data.usage).toEqual({ ...usage, usd: null })
})

test('nothing of a run happens before the host has it, and all of it afterwards', async () => {
	const { begin, engine, requests, host, sandboxes } = world({
		program: async (guest) => (await ask(guest)).message.content,
	})
	const ended = begin({ go: false })
	await expect.poll(() => sandboxes.jobs.length).toBe(1)
	await new Promise((resolve) => setTimeout(resolve, 120))
	expect([requests.length, host.commits.length]).toEqual([0, 0])
	engine.go('run_1')
	expect((await ended).outcome.status).toBe('succeeded')
})

// Proves: run.model-ahead
test('a first call of the model alone happens before the host has the run, where it may', async () => {
	const { begin, engine, requests, host, connectors } = world({
		yaml: withTools('a', `tools: { "${CONNECTOR}/a": { idempotent: true } }\n`),
		tools: [{ name: 'a' }],
		program: async (guest) => {
			await ask(guest)
			await guest.effect('tool.call', { name: 'a', input: {} })
			return (await ask(guest)).message.content
		},
	})
	const ended = begin({ go: false, model_ahead: true })
	await expect.poll(() => requests.length).toBe(1)
	await new Promise((resolve) => setTimeout(resolve, 120))
	expect([requests.length, connectors.calls.length, host.commits.length]).toEqual([1, 0, 0])
	engine.go('run_1')
	expect((await ended).outcome.status).toBe('succeeded')
	expect([requests.length, connectors.calls.length]).toEqual([2, 1])
})

// Proves: run.model-ahead
test('what a program does before its first call of the model keeps that back', async () => {
	const { begin, engine, requests } = world({
		program: async (guest) => {
			void guest.effect('log', { level: 'info', message: 'first' })
			return (await ask(guest)).message.content
		},
	})
	const ended = begin({ go: false, model_ahead: true })
	await new Promise((resolve) => setTimeout(resolve, 120))
	expect(requests.length).toBe(0)
	engine.go('run_1')
	const { entries } = await ended
	expect(entries.map(({ type }) => type).slice(0, 3)).toEqual(['run.started', 'log', 'model.started'])
})

// Proves: run.model-ahead
test('a run the host did not take leaves the call that it made', async () => {
	const left = Promise.withResolvers<void>()
	const { begin, engine, requests, host } = world({
		program: async (guest) => ask(guest),
		model: (_, { signal }) =>
			new Promise((_, reject) =>
				signal.addEventListener('abort', () => {
					left.resolve()
					reject(signal.reason)
				}),
			),
	})
	void begin({ go: false, model_ahead: true })
	await expect.poll(() => requests.length).toBe(1)
	engine.drop('run_1')
	await left.promise
	await expect.poll(() => engine.runs()).toBe(0)
	expect(host.commits).toEqual([])
})

test('a run the host did not take is forgotten without a word', async () => {
	const { begin, engine, host, sandboxes } = world({ program: async (guest) => ask(guest) })
	void begin({ go: false })
	await expect.poll(() => sandboxes.live).toBe(1)
	engine.drop('run_1')
	expect([engine.runs(), sandboxes.live]).toEqual([1, 0])
	await expect.poll(() => engine.runs()).toBe(0)
	expect(host.commits).toEqual([])
})

// Proves: journal.delivery-order
test('tools a program asks for at once run side by side and are delivered as they finish', async () => {
	const slow = Promise.withResolvers<void>()
	const delivered: number[][] = []
	const { begin, connectors } = world({
		yaml: withTools(
			'a, b',
			`tools: { "${CONNECTOR}/a": { idempotent: true }, "${CONNECTOR}/b": { idempotent: true } }\n`,
		),
		tools: [{ name: 'a' }, { name: 'b' }],
		program: async (guest) => {
			delivered.push(guest.delivered)
			const calls = ['a', 'b'].map((name) => guest.effect('tool.call', { name, input: { q: name } }))
			return (await Promise.all(calls)).map(({ output }) => output).join(' / ')
		},
	})
	connectors.reply = async (tool) => {
		if (tool === 'a') await slow.promise
		else setTimeout(slow.resolve, 20)
		return { ok: true, output: tool.toUpperCase() }
	}
	const { outcome, usage, entries } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"A / B"' })
	expect(usage.tool_calls).toBe(2)
	expect(delivered[0]).toEqual([2, 1])
	expect(entries.filter(({ type }) => type === 'tool.completed').map(({ effect }) => effect)).toEqual([2, 1])
	expect(entries.find(({ type }) => type === 'tool.started')?.data).toEqual({
		call: 1,
		name: 'a',
		connector: CONNECTOR,
		input: { q: 'a' },
		repeatable: true,
	})
})

// Proves: run.usage-tool-failures
test('calls of tools that fail are counted, whoever failed, and counted again from the journal', async () => {
	const { begin, connectors } = world({
		yaml: withTools('a, b, c'),
		tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
		program: async (guest) => {
			const input = { type: 'object' }
			guest.issue('tools.declare', { tools: [{ name: 'own', description: 'o', input }] })
			for (const name of ['a', 'b', 'c'])
				await guest.effect('tool.call', { name, input: {} }).catch(() => undefined)
			const started = guest.issue('tool.local', { name: 'own', input: {} })
			await guest.effect('memory.list')
			guest.issue('tool.local.done', { started, ok: false, output: 'it threw' })
			return 'done'
		},
	})
	connectors.reply = async (tool) => {
		if (tool === 'c') throw new ConnectorError('connector_unavailable', 'refused', 'It is down.')
		return { ok: tool === 'a', output: 'said' }
	}
	const { outcome, usage, entries } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"done"' })
	expect(usage).toMatchObject({ tool_calls: 4, failed_tool_calls: 3 })
	expect(usageOf(entries)).toEqual(usage)
})

const toolEvents = (entries: Entry[]) =>
	entries.filter(({ type }) => type.startsWith('tool.')).map(({ type, data }) => ({ type, ...data }))

// Proves: run.refused-calls
test('a call of no tool, and one whose arguments are no JSON, are told and counted like others that fail', async () => {
	const call = (id: string, input_error?: string) => ({
		...{ id, name: 'calc', input: '{"a": ' },
		...(input_error && { input_error }),
	})
	const world_ = world({
		model: async () =>
			answer('', {
				stop: 'tool_calls',
				message: {
					role: 'assistant',
					content: '',
					tool_calls: [call('c1', 'Unexpected end: {"a": '), call('c2')],
				},
			}),
		program: async (guest) => {
			await ask(guest)
			const args = { name: 'n'.repeat(5000), input: {}, call_id: 'c2' }
			return guest.effect('tool.call', args).catch(({ code }) => code)
		},
	})
	const { outcome, usage, entries } = await world_.begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"tool_missing"' })
	expect(usage).toMatchObject({ tool_calls: 2, failed_tool_calls: 2 })
	expect(usageOf(entries)).toEqual(usage)
	const name = 'n'.repeat(200)
	const output = `There is no tool ${name}; the agent has none.`
	expect(toolEvents(entries)).toEqual([
		{
			...{ type: 'tool.completed', name: 'calc', call_id: 'c1', ok: false, input: '{"a": ' },
			error: { code: 'input_invalid', message: 'The arguments are not a JSON object.' },
		},
		{ type: 'tool.started', call: 2, name, call_id: 'c2', input: {}, repeatable: true },
		{
			...{ type: 'tool.completed', call: 2, name, ok: false, output, duration_ms: expect.any(Number) },
			error: { code: 'tool_missing', message: output },
		},
	])
})

// Proves: run.refused-calls
test('a run whose refused call was journaled without an event goes on as it was', async () => {
	const program: Program = async (guest) => {
		guest.issue('tools.declare', { tools: [{ name: 'own', description: 'o', input: { required: ['n'] } }] })
		const code = await guest.effect('tool.local', { name: 'own', input: {} }).catch((error) => error.code)
		await guest.effect('memory.list')
		return code
	}
	const { entries } = await world({ program }).begin()
	const closing = entries.find(({ type }) => type === 'tool.completed') as Entry
	const opening = entries.find(({ type }) => type === 'tool.started') as Entry
	const { effect, digest, result, ok } = { ...closing, digest: opening.digest }
	const data = { method: 'tool.local', error: JSON.parse(result as string) }
	const before: Entry = { seq: 3, at: closing.at, type: 'effect.completed', effect, digest, result, ok, data }
	const { outcome, usage } = await world({ program }).begin({
		...{ attempt: 2, epoch: 2 },
		journal: [...entries.slice(0, 2), before],
	})
	expect(outcome).toEqual({ status: 'succeeded', output: '"input_invalid"' })
	expect(usage).toMatchObject({ tool_calls: 0, failed_tool_calls: 0 })
})

// Proves: program.model-tools
test('a model call names its tools, and the runtime adds their definitions', async () => {
	const { begin, requests } = world({
		yaml: withTools('a, b'),
		tools: [{ name: 'a' }, { name: 'b', description: 'does b' }],
		program: async (guest) => {
			guest.issue('tools.declare', { tools: [{ name: 'own', description: 'o', input: { type: 'object' } }] })
			await ask(guest, { tools: ['b', 'own'] })
			await ask(guest, { tools: undefined })
			const { tools } = await guest.effect('tools.list')
			return JSON.stringify((tools as { name: string }[]).map(({ name }) => name))
		},
	})
	const { outcome } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: JSON.stringify('["own","a","b"]') })
	expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
		['b', 'own'],
		['own', 'a', 'b'],
	])
	expect(requests[0]?.tools[0]?.description).toBe('does b')
})

// Proves: limit.arguments, run.refused-calls
test('a function of the program is checked before it runs and told of when it has', async () => {
	const input = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } }
	const { begin } = world({
		program: async (guest) => {
			guest.issue('tools.declare', { tools: [{ name: 'add', description: 'adds', input }] })
			const wrong = await guest
				.effect('tool.local', { name: 'add', input: { n: 'x' } })
				.catch((error) => error.code)
			const started = guest.issue('tool.local', { name: 'add', input: { n: 1 }, call_id: 'c1' })
			await guest.effect('memory.list')
			guest.issue('tool.local.done', { started, ok: true, output: 'two' })
			return wrong
		},
	})
	const { outcome, entries, usage } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"input_invalid"' })
	expect(usage).toMatchObject({ tool_calls: 2, failed_tool_calls: 1 })
	expect(usageOf(entries)).toEqual(usage)
	const unfit = "The arguments do not fit the tool's schema: /n must be number, is string."
	expect(toolEvents(entries)).toEqual([
		{ type: 'tool.started', call: 2, name: 'add', input: { n: 'x' }, repeatable: true },
		{
			...{
				type: 'tool.completed',
				call: 2,
				name: 'add',
				ok: false,
				output: unfit,
				duration_ms: expect.any(Number),
			},
			error: { code: 'input_invalid', message: unfit },
		},
		{ type: 'tool.started', call: 3, name: 'add', call_id: 'c1', input: { n: 1 } },
		{
			type: 'tool.completed',
			call: 3,
			name: 'add',
			ok: true,
			output: 'two',
			duration_ms: expect.any(Number),
		},
	])
})

// Proves: limit.arguments, run.refused-calls
test('a call without an input is one that does not fit, and ends nothing', async () => {
	const input = { type: 'object' }
	const { begin } = world({
		yaml: withTools('a'),
		tools: [{ name: 'a' }],
		program: async (guest) => {
			guest.issue('tools.declare', { tools: [{ name: 'own', description: 'o', input }] })
			const own = await guest.effect('tool.local', { name: 'own' }).catch((error) => error.code)
			const { ok } = (await guest.effect('tool.call', { name: 'a' })) as { ok: boolean }
			return JSON.stringify([own, ok])
		},
	})
	const { outcome, usage } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: JSON.stringify('["input_invalid",false]') })
	expect(usage).toMatchObject({ tool_calls: 2, failed_tool_calls: 2 })
})

// Proves: memory.no-blind-write
test("memory is the host's, is written from what the program has seen, and notices a lost update", async () => {
	const { begin, host } = world({
		program: async (guest) => {
			const unseen = await guest
				.effect('memory.write', { path: 'notes.md', content: 'blind' })
				.catch((error) => error.code)
			const read = await guest.effect('memory.read', { path: 'notes.md' })
			const written = await guest.effect('memory.write', { path: 'notes.md', content: 'second' })
			const lost = await guest
				.effect('memory.write', { path: 'notes.md', content: 'third', version: 1 })
				.catch((error) => error.code)
			await guest.effect('memory.write', { path: 'a/new.md', content: 'new' })
			await guest.effect('memory.delete', { path: 'a/new.md' })
			const bad = await guest
				.effect('memory.write', { path: '../x', content: '' })
				.catch((error) => error.code)
			const list = await guest.effect('memory.list', { path: '' })
			return JSON.stringify([unseen, read, written, lost, bad, list])
		},
	})
	host.memory = fakeMemory({ 'notes.md': 'first' })
	const { outcome, entries } = await begin()
	expect(outcome.status === 'succeeded' && JSON.parse(JSON.parse(outcome.output))).toEqual([
		'conflict',
		{ content: 'first', version: 1 },
		{ version: 2 },
		'conflict',
		'invalid_request',
		{ entries: [{ path: 'notes.md', size: 6, version: 2 }] },
	])
	expect(entries.filter(({ type }) => type === 'memory.changed').map(({ data }) => data)).toEqual([
		{ path: 'notes.md', version: 2, size: 6 },
		{ path: 'a/new.md', version: 3, size: 3 },
		{ path: 'a/new.md', version: 4, deleted: true },
	])
})

test('a large value is whole for the program and cut in the event', async () => {
	const big = 'x'.repeat(40_000)
	const { begin, connectors, host } = world({
		yaml: withTools('a'),
		tools: [{ name: 'a' }],
		program: async (guest) => {
			guest.issue('log', { level: 'info', message: big })
			return (
				(await guest.effect('tool.call', { name: 'a', input: { q: big } })) as { output: string }
			).output.length.toString()
		},
	})
	connectors.reply = (_, input) => ({ ok: true, output: (input as { q: string }).q })
	const { outcome } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"40000"' })
	for (const type of ['log', 'tool.started', 'tool.completed']) {
		const { data } = host.journal.find((entry) => entry.type === type) as { data: Record<string, unknown> }
		expect(data.truncated).toBe(true)
		expect(JSON.stringify(data).length).toBeLessThan(17_000)
	}
})

test('half of a surrogate pair in what a program returns is replaced', async () => {
	const { begin, host } = world({
		yaml: withTools('a', 'output: {}\n'),
		tools: [{ name: 'a' }],
		program: async () => ({ cut: '😀'.slice(0, 1), whole: '😀', escape: '\\ud83d' }),
	})
	const { outcome } = await begin()
	expect(outcome).toMatchObject({ output: '{"cut":"\ufffd","whole":"😀","escape":"\\\\ud83d"}' })
	expect(host.journal.at(-1)?.data.output).toEqual({ cut: '\ufffd', whole: '😀', escape: '\\ud83d' })
})

test('an agent without tools makes one call to the host: its end', async () => {
	const { begin, host } = world({ program: async (guest) => (await ask(guest)).message.content })
	await begin()
	expect(host.commits).toHaveLength(1)
	expect(host.notes.filter(([name]) => name === 'log')).toEqual([])
})

test('an answer of the model is whole for the program', async () => {
	const message = {
		role: 'assistant',
		content: 'x',
		tool_calls: [{ id: '1', name: 'n', input: {} }],
		provider: { a: 1 },
	}
	const { begin } = world({
		model: async () => answer('', { message: message as never, stop: 'tool_calls' }),
		program: async (guest) => JSON.stringify(await ask(guest)),
	})
	const { outcome } = await begin()
	expect(outcome.status === 'succeeded' && JSON.parse(JSON.parse(outcome.output))).toEqual({
		message,
		stop: 'tool_calls',
		model: 'm-2026',
		usage: { input_tokens: 10, output_tokens: 5 },
	})
})
