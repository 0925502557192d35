import { expect, test } from 'vitest'
import { fakeMemory } from '../../../kit/engine/fake-memory.ts'
import {
	answer,
	CONNECTOR,
	type Guest,
	type Program,
	withTools,
	world,
	YAML,
} from '../../../kit/engine/fakes.ts'

// Every limit is the runtime's, and each ends the run with its own code.

const ask = (guest: Guest, more: object = {}) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [], ...more })
const limits = (text: string, yaml = YAML) => `${yaml}limits: { ${text} }\n`
const forever: Program = async (guest) => {
	for (;;) await ask(guest).catch(() => undefined)
}
const tokens = (input_tokens: number, output_tokens: number) => async () =>
	answer('x', { usage: { input_tokens, cached_input_tokens: 0, output_tokens } })

// Proves: limit.steps
test('model calls past limits.steps are not made, whatever the program catches', async () => {
	const { begin, requests } = world({ yaml: limits('steps: 3'), program: forever })
	const { outcome, usage } = await begin()
	expect(outcome).toMatchObject({ status: 'failed', error: { code: 'step_limit_reached' } })
	expect([requests.length, usage.model_calls]).toEqual([3, 3])
})

// Proves: limit.steps-why
test('a run that uses up its steps with calls that fail says which tool, and what was wrong', async () => {
	const message = (input_error?: string) => ({
		...{ role: 'assistant' as const, content: '' },
		tool_calls: [{ id: 'c', name: 'calc', input: 'secret text', ...(input_error && { input_error }) }],
	})
	const over = async (program: Program, input_error?: string) => {
		const model = async () => answer('', { stop: 'tool_calls', message: message(input_error) })
		const { outcome } = await world({ yaml: limits('steps: 3'), program, model }).begin()
		return outcome.status === 'failed' && outcome.error.message
	}
	const made = 'The run has made its 3 model calls (limits.steps).'
	expect(await over(forever, 'Unexpected token: secret text')).toBe(
		`${made} Its last 3 tool calls failed, the last: calc: The arguments are not a JSON object.`,
	)
	const calls: Program = async (guest) => {
		for (;;) {
			await ask(guest)
			await guest.effect('tool.call', { name: 'calc', input: {} }).catch(() => undefined)
		}
	}
	expect(await over(calls)).toBe(
		`${made} Its last 3 tool calls failed, the last: calc: There is no tool calc; the agent has none.`,
	)
	expect(await over(forever)).toBe(made)
})

// Proves: limit.steps
test('model calls past limits.steps are not made when they are asked for at once', async () => {
	const { begin, requests } = world({
		yaml: limits('steps: 5'),
		program: async (guest) => Promise.all(Array.from({ length: 50 }, () => ask(guest))),
	})
	expect((await begin()).outcome).toMatchObject({ error: { code: 'step_limit_reached' } })
	expect(requests.length).toBeLessThanOrEqual(5)
})

// Proves: limit.parallel-calls
test('at most eight model calls of a run are under way at a time', async () => {
	let [now, most] = [0, 0]
	const { begin, requests } = world({
		yaml: limits('tokens: 10000000'),
		model: async () => {
			most = Math.max(most, ++now)
			await new Promise((resolve) => setTimeout(resolve, 5))
			now--
			return answer('x')
		},
		program: async (guest) => {
			await Promise.all(Array.from({ length: 30 }, () => ask(guest)))
			return 'done'
		},
	})
	expect((await begin()).outcome.status).toBe('succeeded')
	expect(most).toBe(8)
	// With the tokens there are, nobody has to be told a bound.
	expect(requests.every(({ parameters }) => Object.keys(parameters).length === 0)).toBe(true)
})

// Proves: limit.host-ceiling, run.ceilings-on-host
test.each([
	['steps', { steps: 2 }, 'step_limit_reached', 2],
	['tokens', { tokens: 500 }, 'token_limit_reached', 2],
	['usd', { usd: 0.004 }, 'cost_limit_reached', 2],
] as const)(
	'the host’s ceiling of %s holds an agent that allows itself more, or sets nothing',
	async (_, ceilings, code, calls) => {
		const yaml = 'name: a\nmodel: { provider: openai, name: gpt-4o }\n'
		for (const own of ['steps: 100, tokens: 90000, usd: 5', 'seconds: 60']) {
			const { begin, requests } = world({
				yaml: limits(own, yaml),
				model: tokens(200, 200),
				program: forever,
				services: { ceilings },
			})
			expect((await begin()).outcome).toMatchObject({ error: { code } })
			expect(requests).toHaveLength(calls)
		}
	},
)

// Proves: limit.host-ceiling
test('a ceiling above what an agent allows itself changes nothing', async () => {
	const { begin, sandboxes } = world({
		yaml: limits('memory_mb: 64, steps: 3'),
		program: forever,
		services: { ceilings: { memory_mb: 128, steps: 100, tokens: 10_000_000, usd: undefined } },
	})
	expect((await begin()).outcome).toMatchObject({
		error: { message: expect.stringContaining('its 3 model') },
	})
	expect(sandboxes.jobs[0]?.memoryMb).toBe(64)
	const low = world({
		yaml: limits('memory_mb: 64'),
		program: async () => 1,
		services: { ceilings: { memory_mb: 32 } },
	})
	await low.begin()
	expect(low.sandboxes.jobs[0]?.memoryMb).toBe(32)
})

// Proves: sandbox.loops-cut
test('a run has ten seconds of CPU in its isolate', async () => {
	const { begin, sandboxes } = world({ program: async () => 1 })
	await begin()
	expect(sandboxes.jobs[0]?.cpuMs).toBe(10_000)
})

// Proves: limit.seconds
test('a run past limits.seconds is stopped with what it was doing', async () => {
	const { begin, sandboxes } = world({
		yaml: limits('seconds: 0.2'),
		model: (_, { signal }) =>
			new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
		program: async (guest) => ask(guest),
	})
	const { outcome } = await begin()
	expect(outcome).toMatchObject({
		error: { code: 'time_limit_reached', message: expect.stringContaining('call 1 (model m)') },
	})
	expect(sandboxes.live).toBe(0)
})

test('waiting for the host is not the run’s time', async () => {
	const { begin, engine } = world({ yaml: limits('seconds: 0.2'), program: async () => 'done' })
	const ended = begin({ go: false })
	await new Promise((resolve) => setTimeout(resolve, 400))
	engine.go('run_1')
	expect((await ended).outcome.status).toBe('succeeded')
})

// Proves: limit.effects
test('a program that only keeps effects coming is stopped', async () => {
	const { begin } = world({
		program: async (guest) => {
			for (;;) await guest.effect('memory.list')
		},
	})
	const { outcome, entries } = await begin()
	expect(outcome).toMatchObject({ error: { code: 'step_limit_reached' } })
	expect(entries.length).toBeLessThan(10_010)
})

// Proves: limit.tool-calls
test('tool calls have a limit that grows with the steps', async () => {
	const { begin, connectors } = world({
		yaml: limits('steps: 1', withTools('a', `tools: { "${CONNECTOR}/a": { idempotent: true } }\n`)),
		tools: [{ name: 'a' }],
		program: async (guest) => {
			for (;;) await guest.effect('tool.call', { name: 'a', input: {} })
		},
	})
	expect((await begin()).outcome).toMatchObject({ error: { code: 'step_limit_reached' } })
	expect(connectors.calls).toHaveLength(32)
})

// Proves: limit.isolate-breach
test.each([
	['memory_limit_reached', 'it needs more'],
	['cpu_limit_reached', 'it computes for ever'],
] as const)('a breach in the isolate ends the run as %s', async (code, message) => {
	const { begin, sandboxes } = world({ program: async () => new Promise(() => undefined) })
	const ended = begin()
	await expect.poll(() => sandboxes.jobs.length).toBe(1)
	sandboxes.jobs[0]?.onEnd({ ok: false, code, message })
	expect((await ended).outcome).toEqual({ status: 'failed', error: { code, message } })
})

// Proves: deployment.platform-provider-program, limit.wrong-model
test.each([
	['another provider', { provider: 'anthropic' }, 'agent_error'],
	["the platform's provider", { provider: 'platform', name: 'x' }, 'platform_provider_refused'],
])('a program that asks for %s ends with its code, and no call is made', async (_, model, code) => {
	const { begin, requests } = world({ program: async (guest) => ask(guest, { model }).catch(() => 'caught') })
	expect((await begin()).outcome).toMatchObject({ status: 'failed', error: { code } })
	expect(requests).toEqual([])
})

// Proves: limit.wrong-model
test('a program may choose another model of its provider', async () => {
	const { begin, requests } = world({
		program: async (guest) => {
			await ask(guest, { model: { name: 'small' } })
			return 'done'
		},
	})
	await begin()
	expect(requests[0]).toMatchObject({ provider: 'openai', model: 'small' })
})

// Proves: limit.identity
test.each([
	['an effect out of turn', (guest: Guest) => guest.forge(7, 'log', '{}')],
	[
		'an effect twice',
		(guest: Guest) => [1, 1].forEach((n) => void guest.forge(n, 'log', '{"level":"info","message":""}')),
	],
	['an effect there is not', (guest: Guest) => guest.issue('fetch', { url: 'http://127.0.0.1' })],
	['a method of the prototype', (guest: Guest) => guest.issue('constructor', {})],
	['arguments that are not JSON', (guest: Guest) => guest.forge(1, 'model', '{')],
	['arguments that are no object', (guest: Guest) => guest.forge(1, 'log', 'null')],
	[
		'messages of no known form',
		(guest: Guest) => guest.issue('model', { messages: [{ role: 'system', content: 'x' }] }),
	],
	['tools with a bad name', (guest: Guest) => guest.issue('tools.declare', { tools: [{ name: 'a b' }] })],
	[
		'the end of what never began',
		(guest: Guest) => guest.issue('tool.local.done', { started: 5, ok: true, output: '' }),
	],
])('a program that sends %s ends as agent_error', async (_, send) => {
	const { begin, requests } = world({
		program: async (guest) => {
			send(guest)
			await new Promise(() => undefined)
		},
	})
	expect((await begin()).outcome).toMatchObject({ status: 'failed', error: { code: 'agent_error' } })
	expect(requests).toEqual([])
})

// Proves: limit.tool-list
test('a tool that is not listed is refused with a code, and its server never asked', async () => {
	const { begin, connectors } = world({
		yaml: withTools('a'),
		tools: [{ name: 'a' }, { name: 'secret' }],
		program: async (guest) => guest.effect('tool.call', { name: 'secret', input: {} }),
	})
	const { outcome } = await begin()
	expect(outcome).toMatchObject({ status: 'failed', error: { code: 'tool_missing' } })
	expect(connectors.calls).toEqual([])
})

// Proves: limit.arguments
test('arguments that do not fit a tool’s schema never reach its server', async () => {
	const { begin, connectors } = world({
		yaml: withTools('a'),
		tools: [
			{
				name: 'a',
				input: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
			},
		],
		program: async (guest) =>
			JSON.stringify(await guest.effect('tool.call', { name: 'a', input: { q: 1, x: 2 } })),
	})
	const { outcome } = await begin()
	expect(outcome.status === 'succeeded' && JSON.parse(JSON.parse(outcome.output))).toMatchObject({
		ok: false,
		output: expect.stringContaining('/q'),
	})
	expect(connectors.calls).toEqual([])
})

test('a program cannot end with a code of its own choosing', async () => {
	const program: Program = async () => {
		throw Object.assign(new Error('pay me'), { code: 'budget_reached' })
	}
	expect((await world({ program }).begin()).outcome).toMatchObject({
		error: { code: 'agent_error', message: 'pay me' },
	})
	const refused: Program = async () => {
		throw Object.assign(new Error('not my fault'), { code: 'provider_auth_failed' })
	}
	expect((await world({ program: refused }).begin()).outcome).toMatchObject({
		error: { code: 'agent_error' },
	})
})

// Proves: memory.read-limit
test('a run that reads its memory without end is ended before the runtime runs out of its own', async () => {
	const { begin, host } = world({
		program: async (guest) => {
			for (;;) await guest.effect('memory.read', { path: 'big' })
		},
	})
	host.memory = fakeMemory({ big: 'x'.repeat(1024 * 1024) })
	const { outcome } = await begin()
	expect(outcome).toMatchObject({ error: { code: 'memory_limit_reached' } })
})

// Proves: limit.connector-time
test.each([
	['the provider’s, where the agent says nothing', '', 1_000],
	['the agent’s own', `connectors: { "${CONNECTOR}": { timeout_seconds: 7 } }\n`, 7_000],
	['the ceiling', `connectors: { "${CONNECTOR}": { timeout_seconds: 900 } }\n`, 60_000],
])('a call of a connector may take %s', async (_name, settings, timeoutMs) => {
	const { begin, connectors } = world({
		yaml: withTools('a', settings),
		tools: [{ name: 'a' }],
		program: async (guest) => {
			await guest.effect('tool.call', { name: 'a', input: {} })
			return 'done'
		},
	})
	const bounds: number[] = []
	const { call } = connectors
	connectors.call = (target, tool, input, options) => {
		bounds.push(options.timeoutMs)
		return call(target, tool, input, options)
	}
	expect((await begin()).outcome.status).toBe('succeeded')
	expect(bounds).toEqual([timeoutMs])
})
