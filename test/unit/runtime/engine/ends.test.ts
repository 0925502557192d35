import { expect, test } from 'vitest'
import { ConnectorError } from '../../../../runtime/process/connectors/index.ts'
import { ProviderError } from '../../../../runtime/process/providers/index.ts'
import type { BudgetCalls } from '../../../../runtime/wire/budgets.ts'
import { fakeBudgets } from '../../../kit/engine/fake-budgets.ts'
import { FakeHost, type Guest, withTools, world, YAML } from '../../../kit/engine/fakes.ts'

// How a run ends, and that nothing it should not say leaves with it.

const ask = (guest: Guest, more: object = {}) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [], ...more })

// Proves: run.output, run.output-limit
test.each([
	['a text where a schema asks for an object', 'output: { type: object }\n', 'text', 'output_invalid'],
	['an object that does not fit', 'output: { type: object, required: [a] }\n', { b: 1 }, 'output_invalid'],
	['an object where nothing allows one', '', { a: 1 }, 'output_invalid'],
	['more than 1 MiB', '', 'x'.repeat(1_100_000), 'output_invalid'],
])('a run that returns %s fails as output_invalid', async (_, schema, output, code) => {
	const { outcome } = await world({ yaml: `${YAML}${schema}`, program: async () => output }).begin()
	expect(outcome).toMatchObject({ status: 'failed', error: { code } })
})

// Proves: run.output
test('an output that fits the schema is kept as it is', async () => {
	const yaml = `${YAML}output: { type: object, required: [a], properties: { a: { type: string, pattern: "^x+$" } } }\n`
	const { outcome } = await world({ yaml, program: async () => ({ a: 'xx' }) }).begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '{"a":"xx"}' })
})

// Proves: provider.failure-codes
test.each([
	['provider_auth_failed', 'rejected'],
	['provider_rate_limited', undefined],
	['provider_unavailable', undefined],
] as const)('a provider failure ends the run as %s unless the program handles it', async (code, state) => {
	const model = () => Promise.reject(new ProviderError(code, 'it said no'))
	const failing = world({ model, program: async (guest) => ask(guest) })
	expect((await failing.begin()).outcome).toEqual({
		status: 'failed',
		error: { code, message: 'it said no' },
	})
	const states = failing.host.notes.filter(([name]) => name === 'credential.state').map(([, note]) => note)
	expect(states).toEqual(
		state ? [expect.objectContaining({ name: 'provider', state, error: 'it said no' })] : [],
	)
	const handled = world({
		model,
		program: async (guest) => ask(guest).catch((error) => `handled ${error.code}`),
	})
	expect((await handled.begin()).outcome).toEqual({ status: 'succeeded', output: `"handled ${code}"` })
})

// Proves: credential.not-connected-409
test.each([
	['credentials_missing', YAML, ['provider'], []],
	[
		'connector_not_connected',
		withTools('a', '', 'bearer'),
		['connector:tools-example-com-mcp'],
		[{ name: 'a' }],
	],
] as const)(
	'a run without what it needs ends as %s before anything is spent',
	async (code, yaml, missing, tools) => {
		const { begin, requests, sandboxes } = world({
			yaml,
			missing: [...missing],
			tools: [...tools],
			program: async (guest) => ask(guest),
		})
		expect((await begin()).outcome).toMatchObject({ status: 'failed', error: { code } })
		expect([requests.length, sandboxes.jobs.length]).toEqual([0, 0])
	},
)

// Proves: connector.tool-missing
test('a required tool that its connector does not offer ends the run as tool_missing before a model call', async () => {
	const { begin, requests } = world({
		yaml: withTools('a, gone'),
		tools: [{ name: 'a' }],
		program: async (guest) => ask(guest, { tools: undefined }),
	})
	const { outcome } = await begin()
	expect(outcome).toMatchObject({ error: { code: 'tool_missing', message: expect.stringContaining('gone') } })
	expect(requests).toEqual([])
})

// Proves: run.cancel
test('a cancelled run stops the call in flight and says which it was', async () => {
	let aborted = false
	const { begin, engine, requests } = world({
		program: async (guest) => ask(guest),
		model: (_, { signal }) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener('abort', () => {
					aborted = true
					reject(signal.reason)
				})
			}),
	})
	const ended = begin()
	await expect.poll(() => requests.length).toBe(1)
	engine.cancel('run_1', 'asked by the caller')
	engine.cancel('run_2', 'unknown')
	const { outcome, entries } = await ended
	expect(aborted).toBe(true)
	expect(outcome).toEqual({
		status: 'cancelled',
		error: {
			code: 'cancelled',
			message: 'The run was cancelled: asked by the caller. In flight and stopped: call 1 (model m).',
		},
	})
	expect(entries.at(-1)).toMatchObject({
		type: 'run.cancelled',
		data: { in_flight: [{ call: 1, kind: 'model', name: 'm' }] },
	})
})

// Proves: run.usage-in-flight
test.each([
	['gpt-4o', expect.any(Number)],
	['unpriced', null],
])('a run cancelled while %s answers has used what its budget counts', async (name, usd) => {
	const settled: Parameters<BudgetCalls['budget.settle']>[0][] = []
	const host = new FakeHost()
	const { call } = host
	host.call = (async (method: string, args: never) => {
		if (method === 'budget.settle') settled.push(args)
		const budgets = fakeBudgets() as Record<string, (args: never) => unknown>
		return budgets[method] ? budgets[method](args) : call.call(host, method as never, args)
	}) as typeof host.call
	const { begin, engine, requests } = world({
		yaml: `name: a\nmodel: { provider: openai, name: ${name} }\n`,
		host,
		program: async (guest) => ask(guest),
		model: (_, { signal, onDelta }) =>
			new Promise((_resolve, reject) => {
				onDelta?.('four words came back')
				signal.addEventListener('abort', () => {
					onDelta?.('and more, too late')
					reject(signal.reason)
				})
			}),
	})
	const ended = begin({ budget: true })
	await expect.poll(() => requests.length).toBe(1)
	engine.cancel('run_1', 'asked by the caller')
	const { usage, entries } = await ended
	await expect.poll(() => settled.length).toBe(1)
	expect(usage).toMatchObject({ model_calls: 1, output_tokens: 5, usd })
	expect(usage.input_tokens).toBeGreaterThan(0)
	expect(entries.at(-1)?.data.usage).toEqual(usage)
	expect(settled[0]).toMatchObject({ tokens: usage.input_tokens + usage.output_tokens })
	if (usd !== null) expect(settled[0]?.usd).toBeCloseTo(usage.usd as number, 9)
})

test('a run that is cancelled before the host has it ends when the host does', async () => {
	const { begin, engine, host } = world({ program: async (guest) => ask(guest) })
	const ended = begin({ go: false })
	engine.cancel('run_1', 'early')
	expect(host.commits).toEqual([])
	engine.go('run_1')
	expect((await ended).outcome.status).toBe('cancelled')
})

// Proves: credential.redacted
test('a key that came back all the same is taken out of output, error and log', async () => {
	const leak = 'the key is sk-provider'
	const { begin } = world({
		program: async (guest) => {
			await ask(guest)
			guest.issue('log', { level: 'info', message: leak, data: { deep: [leak] } })
			return leak
		},
	})
	const { outcome, entries } = await begin()
	expect(outcome.status).toBe('succeeded')
	expect(JSON.stringify([outcome, entries])).not.toContain('sk-provider')
	const failing = world({
		program: async (guest) => {
			await ask(guest)
			throw new Error(leak)
		},
	})
	const failed = await failing.begin()
	expect(failed.outcome).toMatchObject({ status: 'failed', error: { code: 'agent_error' } })
	expect(JSON.stringify(failed)).not.toContain('sk-provider')
})

// Proves: connector.away
test.each(['connector_unavailable', 'connector_not_connected'] as const)(
	'a tool call that fails as %s is told of, and ends the run unless the program handles it',
	async (code) => {
		const setUp = (handle: boolean) => {
			const made = world({
				yaml: withTools('a'),
				tools: [{ name: 'a' }],
				program: async (guest) => {
					const call = guest.effect('tool.call', { name: 'a', input: {} })
					return handle ? call.catch((error: { code: string }) => `handled ${error.code}`) : call
				},
			})
			made.connectors.reply = () => {
				throw new ConnectorError(code, 'unreachable', 'it is not there')
			}
			return made
		}
		const { outcome, entries } = await setUp(false).begin()
		expect(outcome).toEqual({ status: 'failed', error: { code, message: 'it is not there' } })
		expect(entries.find(({ type }) => type === 'tool.completed')?.data).toMatchObject({
			call: 1,
			name: 'a',
			ok: false,
			error: { code, message: 'it is not there' },
		})
		expect((await setUp(true).begin()).outcome).toEqual({ status: 'succeeded', output: `"handled ${code}"` })
	},
)
