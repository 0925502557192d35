import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isGone, KEY, program, start, temporary, tools } from './processes.ts'

// Runs through the shipped processes: host, runtime, sandbox, and a provider over HTTP.

const hello = { m: { text: 'hello' } }
const ask = `ctx.model('hi')`

// Proves: credential.no-plaintext-message, run.provider-key-only
test('an agent answers with the provider key that only the runtime opens', async () => {
	const { begin, models, runtime, host } = await start({ scripts: hello })
	const { outcome, usage } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"hello"' })
	expect(usage.model_calls).toBe(1)
	expect(host.journal.map(({ type }) => type)).toEqual([
		'run.started',
		'model.started',
		'model.completed',
		'run.completed',
	])
	expect(models.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
	expect(JSON.stringify(host.journal)).not.toContain(KEY)
	expect(runtime.layers().length).toBeGreaterThan(0)
})

// Proves: program.loop-tools
test('the standard loop runs the tools a model asks for side by side and gives it their results', async () => {
	const input = `{ type: 'object', required: ['n'], properties: { n: { type: 'number' } } }`
	const { begin, models, host } = await start({
		files: tools(`{ double: { description: 'Doubles.', input: ${input}, run: async ({ n }) => n * 2 } }`),
		scripts: {
			m: [
				{
					calls: [
						{ id: 'c1', name: 'double', input: { n: 4 } },
						{ id: 'c2', name: 'double', input: { n: 'x' } },
						{ id: 'c3', name: 'nothing', input: {} },
					],
				},
				{ text: 'done' },
			],
		},
	})
	const { outcome, usage } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"done"' })
	expect(usage).toMatchObject({ model_calls: 2, tool_calls: 3, failed_tool_calls: 2 })
	const ends = host.journal.filter(({ type }) => type === 'tool.completed').map(({ data }) => data)
	expect(ends.find(({ ok }) => ok)).toMatchObject({ name: 'double', output: '8' })
	expect(ends.filter(({ ok }) => !ok).map(({ error }) => (error as { code: string }).code)).toEqual([
		'input_invalid',
		'tool_missing',
	])
	const said = JSON.stringify(models.requests[1]?.body)
	expect(said).toMatch(/do not fit the tool's schema/)
	expect(said).toMatch(/There is no tool nothing; the agent has double, skill\./)
})

// Proves: program.tools
test('ctx.tools.call answers a call that does not fit, or has no tool, with ok: false and why', async () => {
	const own = `{ double: { description: 'Doubles.', input: { type: 'object', required: ['n'] }, run: ({ n }) => n * 2 } }`
	const { begin } = await start({
		scripts: hello,
		files: {
			...tools(own),
			...program(`
				const calls = [['double', { n: 4 }], ['double', {}], ['dubble', {}], ['', {}]]
				return JSON.stringify(await Promise.all(calls.map(([name, input]) => ctx.tools.call(name, input))))
			`),
		},
	})
	const { outcome, usage } = await begin()
	expect(usage).toMatchObject({ tool_calls: 4, failed_tool_calls: 3 })
	expect(outcome.status === 'succeeded' && JSON.parse(JSON.parse(outcome.output))).toEqual([
		{ ok: true, output: '8', structured: 8 },
		{ ok: false, output: expect.stringMatching(/do not fit the tool's schema: .*n/) },
		{ ok: false, output: 'There is no tool dubble; the agent has double, skill.' },
		{ ok: false, output: 'The call names no tool; the agent has double, skill.' },
	])
})

test('an agent may not reach past its limits, its tools, its provider or its isolate', async () => {
	const { begin, models } = await start({
		scripts: hello,
		yaml: 'limits: { steps: 3 }\n',
		files: program(`
			if (inputs.how === 'loop') for (;;) await ctx.model('again').catch(() => undefined)
			if (inputs.how === 'tool') return (await ctx.tools.call('rm', {})).output
			if (inputs.how === 'provider') return ctx.model('hi', { model: { provider: 'platform', name: 'x' } })
			if (inputs.how === 'fetch') return typeof fetch + typeof process + typeof require + typeof WebAssembly
			if (inputs.how === 'claim') throw Object.assign(new Error('x'), { code: 'budget_reached' })
		`),
	})
	const end = async (how: string) => {
		const { outcome } = await begin({ run: `run_${how}`, inputs: JSON.stringify({ how }) })
		return outcome.status === 'succeeded' ? outcome.output : outcome.error.code
	}
	expect(await end('loop')).toBe('step_limit_reached')
	expect(models.requests).toHaveLength(3)
	expect(await end('tool')).toBe('"There is no tool rm; the agent has none."')
	expect(await end('provider')).toBe('platform_provider_refused')
	expect(await end('fetch')).toBe('"undefinedundefinedundefinedundefined"')
	expect(await end('claim')).toBe('agent_error')
	expect(models.requests).toHaveLength(3)
})

// Proves: run.cancel
test('a cancelled run hangs up on its provider', async () => {
	const { begin, runtime, models } = await start({ scripts: { m: { text: 'late', delayMs: 300_000 } } })
	const ended = begin()
	await expect.poll(() => models.requests.length).toBe(1)
	runtime.notify('run.cancel', { run: 'run_1', reason: 'asked by the caller' })
	const { outcome } = await ended
	expect(outcome).toMatchObject({
		status: 'cancelled',
		error: { message: expect.stringContaining('call 1 (model m)') },
	})
	await expect.poll(async () => (await runtime.call('stats', {})).runs).toBe(0)
})

// Proves: journal.sandbox-lost
test('a run whose sandbox is killed goes on in another, with what was done kept', async () => {
	const gate = Promise.withResolvers<void>()
	const { begin, models, sandboxes } = await start({
		scripts: {
			m: async ({ count }) => {
				if (count === 1) await gate.promise
				return { text: `answer ${count}` }
			},
		},
		files: program(`
			const at = [Date.now(), Math.random()]
			const one = await ${ask}
			const two = await ${ask}
			return JSON.stringify([one.text, two.text, at.length, at[0] > 1e12])
		`),
	})
	const ended = begin()
	await expect.poll(() => models.requests.length).toBe(2)
	const [pid] = await sandboxes()
	process.kill(pid as number, 'SIGKILL')
	await expect.poll(async () => (await sandboxes()).find((other) => other !== pid)).toBeDefined()
	gate.resolve()
	expect((await ended).outcome).toEqual({
		status: 'succeeded',
		output: JSON.stringify(JSON.stringify(['answer 0', 'answer 1', 2, true])),
	})
	expect(models.requests).toHaveLength(2)
})

// Proves: event.resumed-started, journal.step-once, journal.runtime-killed
test('a runtime that is killed comes back, and its run goes on from the committed journal', async () => {
	let hang = true
	const { begin, resume, models, runtime, host, sandboxes } = await start({
		scripts: {
			m: async ({ turn, count }) => {
				if (count === 1 && hang) await new Promise(() => undefined)
				return { text: `answer ${turn}` }
			},
		},
		files: program(`
			const before = [Date.now(), Math.random()]
			const one = await ${ask}
			ctx.log('info', 'between', before)
			const two = await ${ask}
			return JSON.stringify([one.text, two.text, before])
		`),
	})
	void begin()
	await expect.poll(() => host.journal.map(({ type }) => type)).toContain('log')
	const journal = host.journal
	const pids = [runtime.pid() as number, ...(await sandboxes())]
	hang = false
	const back = new Promise<void>((resolve) => runtime.onRestart(resolve))
	process.kill(pids[0] as number, 'SIGKILL')
	await back
	const { outcome } = await resume(journal)
	expect(outcome.status).toBe('succeeded')
	const drawn = journal.find(({ type }) => type === 'log')?.data.data
	expect(outcome.status === 'succeeded' && JSON.parse(JSON.parse(outcome.output))[2]).toEqual(drawn)
	expect(models.requests).toHaveLength(3)
	expect(host.journal.findLast(({ type }) => type === 'model.started')?.data).toMatchObject({ attempt: 2 })
	await expect.poll(() => pids.every(isGone)).toBe(true)
})

// Proves: credential.no-plaintext-message
test('a provider that turns the key away is told of without the key', async () => {
	const { begin, host } = await start({ scripts: { m: { fault: { status: 401, echo: true } } } })
	const { outcome } = await begin()
	expect(outcome).toMatchObject({ status: 'failed', error: { code: 'provider_auth_failed' } })
	const states = host.notes.filter(([name]) => name === 'credential.state').map(([, note]) => note)
	expect(states).toEqual([expect.objectContaining({ name: 'provider', version: 1, state: 'rejected' })])
	expect(JSON.stringify([outcome, host.notes])).not.toContain(KEY)
})

// Proves: sandbox.idle-stopped
test('a stopped deployment leaves no process, and a closed runtime none at all', async () => {
	const { begin, runtime, sandboxes, models } = await start({
		scripts: { m: { text: 'late', delayMs: 20_000 } },
	})
	const ended = begin()
	await expect.poll(() => models.requests.length).toBe(1)
	const pids = await sandboxes()
	expect(pids).toHaveLength(1)
	runtime.notify('deployment.drop', { deployment: 'dep_1' })
	expect((await ended).outcome.status).toBe('cancelled')
	await expect.poll(() => pids.every(isGone)).toBe(true)
	const { sandboxes: rest } = await runtime.call('stats', {})
	const all = [runtime.pid() as number, ...rest.map(({ pid }) => pid)]
	await runtime.close(0)
	await expect.poll(() => all.every(isGone)).toBe(true)
})

// Proves: sandbox.ends-with-runtime
test('a host that is killed takes its runtime and its sandboxes with it', async () => {
	const script = fileURLToPath(new URL('./lone-host.ts', import.meta.url))
	const dataDir = temporary()
	const host = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
	const [line] = (await once(host.stdout, 'data')) as [Buffer]
	const pids = JSON.parse(line.toString()) as number[]
	expect(pids.length).toBeGreaterThan(1)
	expect(pids.some(isGone)).toBe(false)
	host.kill('SIGKILL')
	await once(host, 'exit')
	await expect.poll(() => pids.every(isGone)).toBe(true)
})
