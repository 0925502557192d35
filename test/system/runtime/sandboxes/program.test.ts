/** Inside the isolate: a program of the owner's own, its tools, and the standard loop. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import { type AnswerEffect, calls, type Guest, openSandboxes, runGuest, text } from '../../../kit/guests.ts'

let sandboxes: Sandboxes
beforeAll(async () => {
	sandboxes = await openSandboxes()
})
afterAll(() => sandboxes.close())

const run = (guest: Guest, answer?: AnswerEffect) => runGuest(sandboxes, guest, answer)
/** Answers model calls in turn, everything else as usual. */
const script = (...replies: unknown[]): AnswerEffect => {
	let next = 0
	return ({ method, args }) => {
		if (method === 'model') return replies[next++]
		if (method === 'tool.local') return { run: true }
		return { ok: true, output: `${(args as { name?: string }).name} done` }
	}
}
const fails = (code: string, message: string) => () => {
	throw { code, message }
}

const adder = `{
	add: { description: 'Adds.', input: { type: 'object' }, run: ({ a, b }) => a + b },
	broken: { description: 'Breaks.', input: {}, run() { throw new Error('it broke') } },
	long: { description: 'Long.', input: {}, run: () => 'x'.repeat(150000) },
}`

describe('a program', () => {
	// Proves: program.model
	test('asks a model with what it names, and gets text, value and usage', async () => {
		const program =
			'return ctx.model([{ role: "user", content: "q" }], { system: "s", tools: ["t"], parameters: { p: 1 }, output: { type: "object" }, model: { name: "m" } })'
		const { output, sent } = await run({ program }, script(text('{"a":1}')))
		expect(sent[0]).toMatchObject({
			n: 1,
			method: 'model',
			args: {
				messages: [{ role: 'user', content: 'q' }],
				system: 's',
				tools: ['t'],
				parameters: { p: 1 },
				model: { name: 'm' },
			},
		})
		expect(output).toMatchObject({
			text: '{"a":1}',
			output: { a: 1 },
			stop: 'end',
			usage: { input_tokens: 1 },
		})
	})

	// Proves: model.options, model.forced-tool
	test('sends the options of a call, and forces a tool of its loop only once', async () => {
		const forced = 'temperature: 0, stop: ["END"], tool_choice: { tool: "add" }'
		const { sent } = await run(
			{
				tools: adder,
				program: `await ctx.model("a", { ${forced} }); return ctx.loop({ messages: "b", ${forced} })`,
			},
			script(text('ok'), calls({ name: 'add', input: { a: 1, b: 2 } }), text('3')),
		)
		const options = { temperature: 0, stop: ['END'], tool_choice: { tool: 'add' } }
		const asked = sent.filter(({ method }) => method === 'model').map(({ args }) => args.options)
		expect(asked).toEqual([options, options, { temperature: 0, stop: ['END'] }])
	})

	// Proves: program.model-tools
	test('is given no tools in a model call unless it names them, and all of them in the loop', async () => {
		const { sent } = await run({
			tools: adder,
			program: 'await ctx.model("a"); return ctx.loop({ messages: "b" })',
		})
		expect(sent.map(({ method, args }) => [method, (args as { tools?: unknown }).tools])).toEqual([
			[
				'tools.declare',
				[
					expect.objectContaining({ name: 'add' }),
					expect.objectContaining({ name: 'broken' }),
					expect.objectContaining({ name: 'long' }),
				],
			],
			['model', []],
			['model', undefined],
		])
	})

	// Proves: program.returned-json
	test.each([
		['{ total: 12n }', 'BigInt'],
		['(() => { const a = {}; a.self = a; return a })()', 'circular'],
		['{ toJSON() { throw 1 } }', 'it throws'],
	])('that returns %s fails and says why, and so does a tool', async (value, cause) => {
		const message = expect.stringMatching(new RegExp(`^It returned a value that is not JSON: [^]*${cause}`))
		const { end } = await run({ program: `return ${value}` })
		expect(end).toMatchObject({ ok: false, code: 'agent_error', message })
		const tools = `{ odd: { description: 'Odd.', input: {}, run: () => (${value}) } }`
		const { output } = await run({ tools, program: 'return ctx.tools.call("odd", {})' })
		expect(output).toEqual({ ok: false, output: message })
	})

	// Proves: http.members
	test('is told which members a request has where it names another', async () => {
		const { end, sent } = await run({ program: 'return ctx.http({ url: "https://a.example", json: {} })' })
		expect(end).toMatchObject({
			ok: false,
			cause: 'invalid_request',
			message: 'ctx.http: there is no `json`. A request has method, url, headers, body, base64, timeout_ms.',
		})
		expect(sent).toEqual([])
	})

	// Proves: program.tools
	test('calls tools of its own and of connectors, and hears of failures as `ok: false`', async () => {
		const program =
			'return [await ctx.tools.call("add", { a: 1, b: 2 }), await ctx.tools.call("broken", {}), await ctx.tools.call("far_tool", { q: 1 })]'
		const { output, sent } = await run({ tools: adder, program })
		expect(output).toEqual([
			{ ok: true, output: '3', structured: 3 },
			{ ok: false, output: 'it broke' },
			{ ok: true, output: '{"name":"far_tool","input":{"q":1}}' },
		])
		expect(sent.slice(1).map(({ method, args }) => [method, args])).toEqual([
			['tool.local', { name: 'add', input: { a: 1, b: 2 } }],
			['tool.local.done', { started: 2, ok: true, output: '3' }],
			['tool.local', { name: 'broken', input: {} }],
			['tool.local.done', { started: 4, ok: false, output: 'it broke' }],
			['tool.call', { name: 'far_tool', input: { q: 1 } }],
		])
	})

	test('ends with the code of an effect that was refused, unless it catches it', async () => {
		const refused = fails('provider_unavailable', 'down')
		expect((await run({ program: 'await ctx.model("a")' }, refused)).end).toEqual({
			...{ ok: false, code: 'agent_error', message: 'down', cause: 'provider_unavailable' },
			stack: 'Error: down\n    at berth:agent.js:1:49',
		})
		expect(
			(
				await run(
					{ program: 'try { await ctx.model("a") } catch (e) { return [e.code, e.message] }' },
					refused,
				)
			).output,
		).toEqual(['provider_unavailable', 'down'])
		expect((await run({ program: 'throw new TypeError("mine")' })).end).toEqual({
			ok: false,
			code: 'agent_error',
			message: 'mine',
			stack: 'TypeError: mine\n    at berth:agent.js:1:45',
		})
	})

	// Proves: program.script-fails
	test('fails with the reason when its script does', async () => {
		expect((await run({ script: 'syntax error' })).end).toMatchObject({
			code: 'agent_error',
			message: expect.stringContaining('Unexpected identifier'),
		})
		expect((await run({ script: 'throw new Error("at the top")' })).end).toMatchObject({
			code: 'agent_error',
			message: 'at the top',
		})
		expect((await run({ script: '__berth.agent(1)' })).end).toMatchObject({
			code: 'agent_error',
			message: expect.stringContaining('agent(…)'),
		})
	})

	// Proves: program.memory-approve
	test('keeps memory and asks for approval through effects', async () => {
		const program =
			'await ctx.memory.write("p", "c", { version: 3 }); await ctx.memory.delete("p"); return [await ctx.memory.list(), await ctx.memory.read("p"), await ctx.approve("sure?", { x: 1 })]'
		const answer: AnswerEffect = ({ method }) =>
			method === 'memory.list'
				? { entries: [] }
				: method === 'memory.read'
					? { content: 'c', version: 1 }
					: method === 'approve'
						? { approved: true, note: null }
						: {}
		const { output, sent } = await run({ program }, answer)
		expect(output).toEqual([[], { content: 'c', version: 1 }, { approved: true, note: null }])
		expect(sent[0]!.args).toEqual({ path: 'p', content: 'c', version: 3 })
	})
})

describe('the standard loop', () => {
	// Proves: program.loop-text
	test('shows the model prompt, inputs and skills, and answers its text', async () => {
		const agent = {
			prompt: 'Help {{ who }} with {{what}}, not{{other}}.',
			skills: [{ name: 'sums', description: 'How to add.', body: 'Add.', references: {} }],
		}
		const { output, sent } = await run(
			{ agent, inputs: { who: 'Ann', what: ['a', 1] } },
			script(text('Hello')),
		)
		const [declared, model] = sent
		expect(output).toBe('Hello')
		expect(declared!.args).toMatchObject({ tools: [{ name: 'skill' }] })
		const { system, messages } = model!.args as unknown as { system: string; messages: unknown }
		expect(system).toContain('Help Ann with ["a",1], not.')
		expect(system).toContain('- sums: How to add.')
		expect(messages).toEqual([
			{ role: 'user', content: JSON.stringify({ who: 'Ann', what: ['a', 1] }, null, 2) },
		])
		expect((await run({ inputs: { message: 'as it is' } })).sent[0]!.args).toMatchObject({
			messages: [{ content: 'as it is' }],
		})
	})

	// Proves: program.skill-stages
	test('reads a skill in stages: its text, then the files it names', async () => {
		const agent = {
			skills: [
				{
					name: 'sums',
					description: 'd',
					body: 'See references.',
					references: { 'references/a.md': 'the file' },
				},
			],
		}
		const { sent } = await run(
			{ agent },
			script(
				calls({ id: '1', name: 'skill', input: { name: 'sums' } }),
				calls(
					{ id: '2', name: 'skill', input: { name: 'sums', path: 'references/a.md' } },
					{ id: '3', name: 'skill', input: { name: 'none' } },
				),
				text('done'),
			),
		)
		const { messages } = sent.at(-1)!.args as unknown as { messages: { role: string; content: string }[] }
		expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
			'See references.\n\nFiles of this skill: references/a.md',
			'the file',
			'there is no skill none; there are: sums',
		])
	})

	// Proves: program.loop-tools
	test('runs the tools of one turn side by side and answers them in order, wrong calls too', async () => {
		const asked = calls(
			{ id: '1', name: 'far', input: { q: 1 } },
			{ id: '2', name: 'add', input: { a: 1, b: 2 } },
			{ id: '3', name: 'far', input: {}, input_error: 'Unexpected token' },
			{ id: '4', name: 'long', input: {} },
			{ id: '5', name: 'missing', input: {} },
		)
		const order: string[] = []
		const inner = script(asked, text('done'))
		const { sent, output } = await run({ tools: adder }, (effect) => {
			order.push(effect.method)
			if ((effect.args as { name?: string }).name === 'missing')
				throw { code: 'tool_missing', message: 'no such tool' }
			return inner(effect)
		})
		expect(output).toBe('done')
		expect(order).toEqual(['model', 'tool.call', 'tool.local', 'tool.local', 'tool.call', 'model'])
		const { messages } = sent.at(-1)!.args as unknown as { messages: { content: string }[] }
		expect(messages.slice(2)).toEqual([
			{ role: 'tool', tool_call_id: '1', name: 'far', content: 'far done' },
			{ role: 'tool', tool_call_id: '2', name: 'add', content: '3' },
			{
				role: 'tool',
				tool_call_id: '3',
				name: 'far',
				content: expect.stringContaining('not JSON'),
				is_error: true,
			},
			{
				role: 'tool',
				tool_call_id: '4',
				name: 'long',
				content: expect.stringMatching(/x … \[50000 more characters\]$/),
			},
			{ role: 'tool', tool_call_id: '5', name: 'missing', content: 'no such tool', is_error: true },
		])
	})

	test('ends the run when a refusal is nothing that a model could mend', async () => {
		const { end } = await run({}, ({ method }) => {
			if (method === 'model') return calls({ id: '1', name: 'far', input: {} })
			throw { code: 'connector_unavailable', message: 'gone' }
		})
		expect(end).toMatchObject({ ok: false, cause: 'connector_unavailable', message: 'gone' })
	})

	// Proves: program.loop-output
	test('gives an output of the schema, and one more try when it does not fit', async () => {
		const agent = { output: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } }
		expect((await run({ agent }, script(text('```json\n{"n":1}\n```')))).output).toEqual({ n: 1 })
		const mended = await run({ agent }, script(text('sure: {"n":1}'), text('{"n":2}')))
		expect(mended.output).toEqual({ n: 2 })
		expect(JSON.stringify(mended.sent[1]!.args)).toContain('Your answer is not usable: it is not JSON.')
		const wrong = (fault: string, answer = '{}') => ({ ...text(answer), fault })
		const told = await run({ agent }, script(wrong('/n is required'), text('{"n":3}')))
		expect(told.output).toEqual({ n: 3 })
		expect(JSON.stringify(told.sent[1]!.args)).toContain('Your answer is not usable: /n is required.')
		for (const last of [text('no'), wrong('/n must be integer, is string')]) {
			expect((await run({ agent }, script(text('no'), last))).end).toMatchObject({
				ok: false,
				cause: 'output_invalid',
			})
		}
	})

	// Proves: program.model-output
	test('a model call with a schema gives a value of it, or fails with the reason', async () => {
		const program =
			'try { return (await ctx.model("q", { output: {} })).output } catch (e) { return [e.code, e.message] }'
		const said = async (answer: object) => (await run({ program }, script(answer))).output
		expect(await said(text('{"n":1}'))).toEqual({ n: 1 })
		expect(await said({ ...text('{}'), fault: '/n is required' })).toEqual([
			'output_invalid',
			"The model's answer is not usable: /n is required.",
		])
		expect(await said({ ...text('{}'), fault: '/n is required', stop: 'length' })).toEqual([
			'output_limit_reached',
			expect.stringContaining('limit of its output'),
		])
		expect(await said({ ...text('I will not'), stop: 'refusal' })).toEqual([
			'output_invalid',
			'The model refused: I will not',
		])
	})

	// Proves: program.unknown-option
	test('an option that no model call has is refused by its name', async () => {
		for (const call of ['ctx.model("q", { maxTokens: 5 })', 'ctx.loop({ maxTokens: 5 })']) {
			const { end, sent } = await run({ program: `return ${call}` }, script(text('never')))
			expect(end).toMatchObject({
				ok: false,
				message: expect.stringContaining('no option `maxTokens`'),
			})
			expect(sent).toEqual([])
		}
	})

	// Proves: program.loop-cut
	test('fails when the model is cut short or refuses', async () => {
		expect((await run({}, script({ ...text('half'), stop: 'length' }))).end).toMatchObject({
			cause: 'output_limit_reached',
			message: expect.stringContaining('limit of its output'),
		})
		expect((await run({}, script({ ...text('I will not'), stop: 'refusal' }))).end).toMatchObject({
			message: 'The model refused: I will not',
		})
		const message = async (answer: object) =>
			((await run({}, script(answer))).end as { message?: string }).message
		expect(await message({ ...text(' '), stop: 'refusal' })).toBe('The model refused, without a word why.')
		const filtered = { ...text('half'), stop: 'refusal', why: 'content_filter' }
		expect(await message(filtered)).toBe("The provider's content filter ended the answer.")
		const full = { ...text('half'), stop: 'length', why: 'context_window' }
		expect(await message(full)).toMatch(/^The conversation fills the model's context/)
	})

	// Proves: memory.loop-tool
	test('lets the model use memory when the agent keeps one', async () => {
		const { sent } = await run({ agent: { memory: true } }, ({ n, method }) => {
			if (method === 'tool.local') return { run: true }
			if (method === 'memory.list') return { entries: [{ path: 'notes.md', size: 4, version: 1 }] }
			if (method === 'memory.read') return { content: 'kept', version: 1 }
			return n === 2
				? calls({ id: '1', name: 'memory', input: { command: 'view', path: '/memories/notes.md' } })
				: text('done')
		})
		expect(sent.map(({ method }) => method)).toEqual([
			'tools.declare',
			'model',
			'tool.local',
			'memory.list',
			'memory.read',
			'tool.local.done',
			'model',
		])
		expect(sent.at(-2)!.args).toMatchObject({ ok: true, output: '     1\tkept' })
	})
})
