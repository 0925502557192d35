import { setTimeout as sleep } from 'node:timers/promises'
import { inputRequired, UrlElicitationRequiredError } from '@modelcontextprotocol/server'
import { afterEach, expect, test } from 'vitest'
import type { Question, QuestionAnswer } from '../../../../runtime/process/connectors/index.ts'
import type { ScriptedTool } from '../../../kit/mcp-server.ts'
import { start, stopAll } from './fixture.ts'

// What a server asks in the middle of a call: today's revision ends the call with it, older ones keep it open.

afterEach(stopAll)

const form = {
	type: 'object' as const,
	properties: { city: { type: 'string' as const }, seats: { type: 'integer' as const, default: 2 } },
	required: ['city'],
}
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
const said = (value: unknown) => text(JSON.stringify(value))
const elicit = (message: string) => ({
	method: 'elicitation/create' as const,
	params: { mode: 'form' as const, message, requestedSchema: form },
})

/** Asks twice, each time with a state of its own, and answers with all it was told. */
const twice: ScriptedTool = {
	name: 'book',
	description: 'Books a table',
	outputSchema: { type: 'object' },
	run: (args, { inputResponses = {}, requestState }) => {
		const state = requestState<string>()
		if (state === undefined)
			return inputRequired({ inputRequests: { first: elicit('Where?') }, requestState: 'one' })
		if (state === 'one') {
			const told = JSON.stringify(inputResponses)
			return inputRequired({ inputRequests: { second: elicit('Sure?') }, requestState: told })
		}
		const both = { ...JSON.parse(state), ...inputResponses }
		return { ...said({ args, both }), structuredContent: { both } }
	},
}

/** An older server's: asks while the call is open. */
const open: ScriptedTool = {
	name: 'book',
	description: 'Books a table',
	run: async (_, { send }) => said(await send(elicit('Where?'))),
}

test('questions of a 2026-07-28 server are handed over, and the call goes on with their answers', async () => {
	const { call, list, server } = await start({ tools: [twice] })
	await list(['book'])
	const first = await call('book', { n: 1 })
	expect(first).toMatchObject({
		ok: false,
		asks: { questions: [{ key: 'first', message: 'Where?', schema: form }], state: 'one' },
	})
	const answer = { key: 'first', action: 'accept' as const, content: { city: 'Rome' } }
	const second = await call('book', { n: 1 }, { resumed: { answers: [answer], state: 'one' } })
	const state = second.asks?.state as string
	expect(second.asks?.questions).toMatchObject([{ key: 'second', message: 'Sure?' }])
	const last = { answers: [{ key: 'second', action: 'decline' as const }], state }
	const done = await call('book', { n: 1 }, { resumed: last })
	const both = { first: { action: 'accept', content: { city: 'Rome' } }, second: { action: 'decline' } }
	expect(JSON.parse(done.output)).toEqual({ args: { n: 1 }, both })
	expect(done).toMatchObject({ ok: true, structured: { both } })
	expect(server.calls).toHaveLength(3)
})

test('a server that asks for another call only, and for no answer, is called again', async () => {
	let calls = 0
	const tool: ScriptedTool = {
		name: 'busy',
		run: (_, { requestState }) =>
			++calls === 1 ? inputRequired({ requestState: 'later' }) : said(requestState()),
	}
	const { call } = await start({ tools: [tool] })
	expect(await call('busy')).toEqual({ ok: true, output: '"later"' })
})

test('an older server is answered while its call is open, one question at a time, over its time-out', async () => {
	const both: ScriptedTool = {
		name: 'book',
		run: async (_, { send }) => said(await Promise.all([send(elicit('a')), send(elicit('b'))])),
	}
	const { call } = await start({ era: 'session', tools: [both] })
	let asking = 0
	const asked: Question[] = []
	const timeoutMs = 2_000
	const ask = async (question: Question): Promise<QuestionAnswer> => {
		expect(++asking).toBe(1)
		if (asked.push(question) === 1) await sleep(timeoutMs + 100)
		asking--
		return { action: 'accept', content: { city: question.message } }
	}
	const reply = await call('book', {}, { ask, timeoutMs })
	const answers = ['a', 'b'].map((city) => ({ action: 'accept', content: { city } }))
	expect(JSON.parse(reply.output)).toEqual(answers)
	expect(asked).toMatchObject([{ message: 'a', schema: form }, { message: 'b' }])
})

// Proves: connector.repeat-harmless
test('the time of a question is none of the call, also where the connection breaks meanwhile', async () => {
	const { call, server } = await start({ era: 'session', tools: [open] })
	let asked = 0
	const ask = async (): Promise<QuestionAnswer> => {
		if (++asked === 1) {
			await sleep(1_500)
			await server.forgetSessions()
			await sleep(100)
		}
		return { action: 'accept', content: { city: 'Rome' } }
	}
	const reply = await call('book', {}, { ask, timeoutMs: 2_000, repeatable: true })
	expect([asked, reply.ok, JSON.parse(reply.output)]).toMatchObject([2, true, { action: 'accept' }])
})

test('each of several calls under way is asked its own question', async () => {
	const named: ScriptedTool = {
		name: 'book',
		run: async ({ who }, { send }) => said([who, (await send(elicit(String(who)))).content]),
	}
	const { call } = await start({ era: 'session', tools: [named] })
	const all = ['x', 'y', 'z'].map((who) =>
		call(
			'book',
			{ who },
			{ ask: async ({ message }) => ({ action: 'accept', content: { [who]: message } }) },
		),
	)
	const replies = (await Promise.all(all)).map(({ output }) => JSON.parse(output))
	expect(replies).toEqual(['x', 'y', 'z'].map((who) => [who, { [who]: who }]))
})

test('an older server that gives up waiting withdraws its question', async () => {
	const impatient: ScriptedTool = {
		name: 'book',
		run: async (_, { send }) =>
			text(await send(elicit('Where?'), { timeout: 200 }).then(String, () => 'nobody')),
	}
	const { call } = await start({ era: 'session', tools: [impatient] })
	let withdrawn = false
	const ask = (_: Question, signal: AbortSignal) =>
		new Promise<QuestionAnswer>((resolve) => {
			signal.addEventListener('abort', () => {
				withdrawn = true
				resolve({ action: 'cancel' })
			})
		})
	expect(await call('book', {}, { ask })).toEqual({ ok: true, output: 'nobody' })
	expect(withdrawn).toBe(true)
})

test('without somebody to ask, an older server is told that nobody answers', async () => {
	const { call } = await start({ era: 'session', tools: [open] })
	expect(await call('book')).toEqual({ ok: true, output: '{"action":"cancel"}' })
})

test.each(['both', 'session'] as const)('an address is handed over, too (%s)', async (era) => {
	const url = 'https://example.com/pay?id=1'
	const visit: ScriptedTool = {
		name: 'pay',
		run: async (_, { send, inputResponses }) => {
			const params = { mode: 'url' as const, message: 'Pay there', url, elicitationId: 'e1' }
			if (era === 'session') return said(await send({ method: 'elicitation/create', params }))
			if (inputResponses) return said(inputResponses)
			const { elicitationId: _id, ...bare } = params
			const request = { method: 'elicitation/create' as const, params: bare as typeof params }
			return inputRequired({ inputRequests: { e1: request } })
		},
	}
	const { call } = await start({ era, tools: [visit] })
	const asked: Question[] = []
	const ask = async (question: Question): Promise<QuestionAnswer> => {
		asked.push(question)
		return { action: 'accept' }
	}
	const reply = await call('pay', {}, { ask })
	const questions = era === 'session' ? asked : reply.asks?.questions
	expect(questions).toMatchObject([{ message: 'Pay there', url }])
	if (era === 'session') expect(reply).toEqual({ ok: true, output: '{"action":"accept"}' })
})

test('an older server that wants an address visited before it is called is called again after that, or not at all', async () => {
	let paid = false
	const visit = {
		mode: 'url' as const,
		message: 'Pay first',
		url: 'https://example.com/pay',
		elicitationId: 'e1',
	}
	const tool: ScriptedTool = {
		name: 'pay',
		run: () => {
			if (!paid) throw new UrlElicitationRequiredError([visit])
			return text('paid')
		},
	}
	const { call, server } = await start({ era: 'session', tools: [tool] })
	const { ok, asks } = await call('pay')
	const [question] = asks?.questions ?? []
	expect([ok, question]).toMatchObject([false, { message: 'Pay first', url: 'https://example.com/pay' }])
	const answered = (action: 'accept' | 'decline') =>
		call('pay', {}, { resumed: { answers: [{ key: question?.key ?? '', action }] } })
	const declined = await answered('decline')
	expect(declined).toEqual({ ok: false, output: expect.stringMatching(/declined. It was not called again/) })
	expect(server.calls).toHaveLength(1)
	paid = true
	expect(await answered('accept')).toEqual({ ok: true, output: 'paid' })
})

test('a tool that works as a task alone is not called', async () => {
	const task: ScriptedTool = { name: 'slow', execution: { taskSupport: 'required' }, run: () => text('done') }
	const { call, list, server } = await start({ era: 'session', tools: [task] })
	const { tools } = await list(['slow'])
	expect(tools[0]?.needsTask).toBe(true)
	const reply = await call('slow')
	expect(reply).toEqual({ ok: false, output: expect.stringMatching(/MCP tasks.*It was not called/) })
	expect(server.calls).toEqual([])
})
