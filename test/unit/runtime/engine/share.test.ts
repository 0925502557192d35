import { expect, test } from 'vitest'
import type { ConnectorCallOptions, ToolReply } from '../../../../runtime/process/connectors/index.ts'
import { ConnectorError } from '../../../../runtime/process/connectors/index.ts'
import type { Allowance } from '../../../../runtime/wire/agent-calls.ts'
import { answer, type Guest, type Program, type World, withTools, world } from '../../../kit/engine/fakes.ts'

// What a run leaves to the agents that it calls, and what of it counts as spent.

const call = (guest: Guest, name = 'helper') => guest.effect('tool.call', { name, input: {} })
const ask = (guest: Guest) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [] })
/** After all calls that were made at once have been told. */
const later = async (reply: ToolReply) => {
	await new Promise((resolve) => setTimeout(resolve, 20))
	return reply
}
const reported = (tokens: number, usd: number | null = null): ToolReply => ({
	ok: true,
	output: 'done',
	spent: { tokens, usd },
})

interface Asked {
	program: Program
	reply?: (n: number, options: ConnectorCallOptions) => Promise<ToolReply> | ToolReply
	limits?: string
	agent?: boolean
	idempotent?: boolean
}

/** `told`: what each call was told that it may use. */
function calling({ program, reply, limits = 'tokens: 60000', agent = true, idempotent = true }: Asked) {
	const yaml = withTools('helper, gate', `limits: { ${limits} }\n`)
	const settings = `tools: { "http://tools.example.com/mcp/helper": { idempotent: ${idempotent} } }\n`
	const made: World = world({
		program,
		yaml: yaml.replace('name: m,', 'name: gpt-4o,') + settings,
		tools: [{ name: 'helper', agent }, { name: 'gate' }],
		model: async () =>
			answer('x', { usage: { input_tokens: 100, cached_input_tokens: 0, output_tokens: 0 } }),
	})
	const told: (Allowance | undefined)[] = []
	made.connectors.reply = async (tool, _input, _signal, options) => {
		if (tool === 'gate') {
			await expect.poll(() => told.length).toBe(1)
			return { ok: true, output: 'the helper was called' }
		}
		told.push(options.meta?.['berth/allowance'] as Allowance | undefined)
		return reply ? reply(told.length, options) : reported(0)
	}
	return { ...made, told }
}
const left = (tokens: number, usd?: number, run = 'run_1'): Allowance => ({
	tokens: { left: tokens, run },
	...(usd !== undefined && { usd: { left: usd, run } }),
})

// Proves: agent.budget
test('a call of an agent is left what the run has left, and what it reports is used up', async () => {
	const { begin, told } = calling({
		program: async (guest) => {
			await ask(guest)
			await call(guest)
			await call(guest)
			return 'done'
		},
		reply: (n) => reported(n * 1000),
	})
	const { usage, entries } = await begin()
	expect(told).toEqual([left(59_900), left(58_900)])
	expect(usage).toMatchObject({ input_tokens: 100, agents: { tokens: 3000, usd: null } })
	const ends = entries.filter(({ type }) => type === 'tool.completed')
	expect(ends.map(({ data }) => data.spent)).toEqual([
		{ tokens: 1000, usd: null },
		{ tokens: 2000, usd: null },
	])
})

// Proves: agent.budget-together
test('calls that begin together are left equal parts', async () => {
	const { begin, told } = calling({
		program: async (guest) => {
			await Promise.all([call(guest), call(guest), call(guest)])
			await Promise.all([call(guest), call(guest)])
			return 'done'
		},
		reply: () => later(reported(10_000)),
	})
	await begin()
	expect(told).toEqual([...Array(3).fill(left(20_000)), ...Array(2).fill(left(15_000))])
})

// Proves: agent.budget-together
test('a model call beside an agent that has all waits until it reports', async () => {
	const order: string[] = []
	const { begin } = calling({
		program: async (guest) => {
			const helped = call(guest).then(() => order.push('agent'))
			await call(guest, 'gate')
			const asked = ask(guest).then(() => order.push('model'))
			await Promise.all([helped, asked])
			return 'done'
		},
		reply: async () => {
			await new Promise((resolve) => setTimeout(resolve, 200))
			return reported(1)
		},
	})
	expect((await begin()).outcome.status).toBe('succeeded')
	expect(order).toEqual(['agent', 'model'])
})

// Proves: agent.budget-unreported
test.each([
	[
		'does not report',
		() => ({ ok: true, output: 'x' }),
		{ tokens: 0, usd: 0, unreported: { tokens: 60_000, usd: 0.5 } },
	],
	['reports no price', () => reported(5), { tokens: 5, usd: 0.5 }],
	[
		'may have been reached',
		() => Promise.reject(new ConnectorError('connector_unavailable', 'unknown', 'cut')),
		{ tokens: 0, usd: 0, unreported: { tokens: 60_000, usd: 0.5 } },
	],
	[
		'was not reached',
		() => Promise.reject(new ConnectorError('connector_unavailable', 'unreachable', 'away')),
		{ tokens: 0, usd: 0 },
	],
])('an agent that %s', async (_, reply, agents) => {
	const { begin } = calling({
		limits: 'tokens: 60000, usd: 0.5',
		program: async (guest) => {
			await call(guest).catch(() => undefined)
			return 'done'
		},
		reply,
	})
	const { usage, outcome } = await begin()
	expect(outcome.status).toBe('succeeded')
	expect(usage.agents).toEqual(agents)
})

// Proves: agent.budget
test.each([
	['tokens', 'token_limit_reached', reported(60_001, 0.1), 'used 60001 of its 60000 tokens (limits.tokens)'],
	['dollars', 'cost_limit_reached', reported(5, 0.75), 'cost 0.75 of its 0.5 US dollars (limits.usd)'],
])(
	'an agent that reports more %s than it was left ends its caller, with all of it counted',
	async (_, code, reply, says) => {
		let wentOn = false
		const { begin } = calling({
			limits: 'tokens: 60000, usd: 0.5',
			program: async (guest) => {
				await call(guest)
				wentOn = true
				return 'done'
			},
			reply: () => reply,
		})
		const { usage, outcome, entries } = await begin()
		expect(outcome).toMatchObject({
			status: 'failed',
			error: { code, message: expect.stringContaining(says) },
		})
		expect(outcome).toMatchObject({ error: { message: expect.stringContaining('that is over the limit') } })
		expect(usage.agents).toEqual(reply.spent)
		expect(entries.at(-1)?.data.usage).toEqual(usage)
		expect(wentOn).toBe(false)
	},
)

// Proves: agent.budget
test('a run that crashed between such a report and its end does not succeed after all', async () => {
	const program: Program = async (guest) => {
		await call(guest)
		return 'done'
	}
	const first = calling({ program, reply: () => reported(60_001) })
	const { entries } = await first.begin()
	const journal = entries.filter(({ type }) => type !== 'run.failed')
	const { outcome, usage } = await calling({ program }).begin({ attempt: 2, epoch: 2, journal })
	expect(outcome).toMatchObject({ error: { code: 'token_limit_reached' } })
	expect(usage.agents).toEqual({ tokens: 60_001, usd: null })
})

// Proves: agent.budget-unreported
test('an agent that a cancelled run waits for counts for all that it was left', async () => {
	const { begin, engine, told } = calling({
		program: async (guest) => {
			await call(guest)
			return 'done'
		},
		reply: (_, { signal }) =>
			new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
	})
	const ended = begin()
	await expect.poll(() => told.length).toBe(1)
	engine.cancel('run_1', 'it was asked for')
	expect((await ended).usage.agents).toEqual({ tokens: 0, usd: 0, unreported: { tokens: 60_000, usd: null } })
})

// Proves: agent.budget
test('a run whose agents have used its tokens makes no further call, and says so', async () => {
	const { begin, told } = calling({
		program: async (guest) => {
			for (;;) await call(guest).catch(() => undefined)
		},
		reply: () => reported(30_000),
	})
	const { outcome } = await begin()
	expect(told).toHaveLength(2)
	expect(outcome).toMatchObject({
		error: {
			code: 'token_limit_reached',
			message: expect.stringContaining(
				'used 60000 of its 60000 tokens (limits.tokens), 60000 of them by agents that it called',
			),
		},
	})
})

// Proves: agent.budget-lowers
test.each([
	['tokens', left(1000, undefined, 'run_0'), left(1000, undefined, 'run_0')],
	['nothing', left(10 ** 9, 10 ** 6, 'run_0'), { ...left(60_000), usd: { left: 10 ** 6, run: 'run_0' } }],
])('what its own caller has left lowers %s, and is passed on', async (_, allowance, expected) => {
	const { begin, told } = calling({
		program: async (guest) => {
			await call(guest)
			return 'done'
		},
	})
	await begin({ allowance })
	expect(told).toEqual([expected])
})

// Proves: agent.budget-lowers
test('a run that its caller has left little says whose limit it is', async () => {
	const { begin } = calling({
		program: async (guest) => {
			for (;;) await ask(guest)
		},
	})
	const { outcome } = await begin({ allowance: left(150, undefined, 'run_0') })
	expect(outcome).toMatchObject({
		error: {
			code: 'token_limit_reached',
			message: expect.stringMatching(
				/used \d+ of the 150 tokens that were left to it by limits\.tokens or a budget of the run above, run_0/,
			),
		},
	})
})

// Proves: agent.budget-told
test('a server that is no agent is told nothing, and its report counts for nothing', async () => {
	const { begin, told, host } = calling({
		agent: false,
		program: async (guest) => {
			await call(guest)
			return 'done'
		},
		reply: () => reported(1000),
	})
	const { usage } = await begin()
	expect(told).toEqual([undefined])
	expect(usage).not.toHaveProperty('agents')
	expect(JSON.stringify(host.journal)).not.toContain('allowance')
})

// Proves: agent.budget-again
test('a call that is made again after a crash is left the same, and the rest stays what it was', async () => {
	const first = calling({
		program: async (guest) => {
			await Promise.all([call(guest), call(guest)])
			return 'done'
		},
		reply: () => new Promise(() => undefined),
	})
	void first.begin()
	await expect.poll(() => first.told.length).toBe(2)
	const journal = first.host.journal
	expect(journal.filter(({ data }) => data.allowance)).toHaveLength(2)
	// Only one of the two was written down before the crash.
	const cut = journal.findIndex(({ effect, data }) => effect === 2 && data.allowance)
	const again = calling({
		program: async (guest) => {
			await Promise.all([call(guest), call(guest)])
			return 'done'
		},
		reply: () => later(reported(10_000)),
	})
	const { usage } = await again.begin({ attempt: 2, epoch: 2, journal: journal.slice(0, cut) })
	expect(again.told).toEqual([left(30_000), left(30_000)])
	expect(usage.agents).toEqual({ tokens: 20_000, usd: null })
})
