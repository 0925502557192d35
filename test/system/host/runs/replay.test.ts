import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReplayReport } from '../../../../host/api/replay.ts'
import { bundleOf, deploy, type Running, run, until, upload } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// A recorded run again, from its journal alone: the same, or where a changed bundle would part from it.

let host: TestHost
let models: ModelServer
let tools: McpServer
let account: TestAccount
let agent: Running
let id: string

const files = (prompt = 'Greet people.\n') => ({
	'prompt.md': prompt,
	'skills/dice/SKILL.md': '---\nname: dice\ndescription: Throws dice\n---\nThrow them.\n',
	'skills/dice/tools.ts': `import { tool } from 'berth'
export const dice = tool({ description: 'Throws', input: { type: 'object' }, run: async () => String(Math.random()) + Date.now() })
`,
})
const yaml = () => `requires:
  - { connector: "${tools.url}", scopes: [], auth: none, kind: connector, tools: [charge] }
`
const bundle = (prompt?: string) =>
	bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
		yaml: yaml(),
		files: files(prompt),
	})

beforeAll(async () => {
	models = await startModelServer({
		m: [
			{
				calls: [
					{ name: 'dice', input: {} },
					{ name: 'charge', input: { key: 'k' } },
				],
			},
			{ text: 'Done.' },
		],
		done: { text: 'Done.' },
	})
	tools = await startMcpServer()
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	agent = await deploy(host, account, await bundle())
	const answer = await run(host, agent)
	expect([answer.status, answer.body.output]).toEqual([200, 'Done.'])
	id = answer.body.id
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), tools?.close()])
})

const replay = (query = '', token = account.token, of = id) =>
	host.call<ReplayReport>(`/v1/runs/${of}/replay${query}`, { method: 'POST', token })
const program = (code: string, limits = '') =>
	bundleOf({
		model: `{ provider: openai, name: done, base_url: "${models.openaiUrl}" }`,
		yaml: limits,
		files: {
			'agent.ts': `import { agent } from 'berth'
export default agent(async (inputs: any, ctx) => { await ctx.model('first'); ${code}; return 'Done.' })
`,
		},
	})
type Sent = { system: string; messages: { role: string; content: string }[]; tools: object[] }
/** Of both sides what is worded alike. */
const asSent = ({ system, messages, tools }: Sent | NonNullable<ReplayReport['model_calls']>[number]) => ({
	texts: [system, ...(messages as Sent['messages']).map(({ content }) => content)].filter(Boolean),
	tools: JSON.parse(JSON.stringify(tools)),
})
const received = ({ body }: ModelServer['requests'][number]) => ({
	texts: (body.messages as { content: string | null }[]).map(({ content }) => content).filter(Boolean),
	tools: (body.tools as { function: { name: string; description: string; parameters: object } }[]).map(
		({ function: { name, description, parameters } }) => ({ name, description, input: parameters }),
	),
})
const idOf = ({ body }: Awaited<ReturnType<typeof run>>) => body.id ?? (body.run as { id: string }).id

describe('a replay', () => {
	// Proves: journal.replay-offline
	test('is the same, and calls neither model nor tool', async () => {
		const before = [models.requests.length, tools.calls.length]
		expect(await replay()).toMatchObject({ status: 200, body: { run: id, version: 1, same: true } })
		expect([models.requests.length, tools.calls.length]).toEqual(before)
	})

	// Proves: journal.replay-changed
	test('with a changed bundle shows what was recorded and what is asked for now', async () => {
		const before = models.requests.length
		const answer = await host.call<ReplayReport>(`/v1/runs/${id}/replay/bundle`, {
			token: account.token,
			body: upload(await bundle('Shout at people.\n')),
		})
		expect(answer).toMatchObject({
			status: 200,
			body: { same: false, recorded: { method: 'model' }, asked: { method: 'model' } },
		})
		expect(JSON.stringify(answer.body.recorded)).toContain('Greet people.')
		expect(JSON.stringify(answer.body.asked)).toContain('Shout at people.')
		expect(models.requests).toHaveLength(before)
	})

	test('with `full` shows what the model was sent, though it is the same', async () => {
		const { body } = await replay('?full')
		expect([body.same, body.model_calls?.map(({ call }) => call)]).toEqual([true, [2, 6]])
		expect(body.model_calls?.map(asSent)).toEqual(models.requests.slice(0, 2).map(received))
		expect((await replay()).body.model_calls).toBeUndefined()
	})

	// Proves: event.full-events
	test('gives the events with what the model was sent, to their owner alone', async () => {
		const at = `${agent.url}/runs/${id}/events`
		const { text } = await host.call(`${at}?full`, { token: account.token })
		const events = Array.from(text.matchAll(/^data: (.*)$/gm), ([, json]) => JSON.parse(json as string))
		const started = events.filter(({ type }) => type === 'model.started')
		expect(started.map(({ data }) => asSent(data.request))).toEqual(models.requests.slice(0, 2).map(received))
		const plain = (await host.call(at, { token: account.token })).text
		expect(plain).not.toContain('Greet people.')
		expect(events.length).toBe([...plain.matchAll(/^data: /gm)].length)
		const byKey = await host.call(`${at}?full`, { token: agent.run_key })
		expect([byKey.status, byKey.body.code]).toEqual([403, 'forbidden'])
	})

	// Proves: event.full-events
	test('gives them of a run that is still under way', async () => {
		const asks = await program(`ctx.log('info', 'asked'); await ctx.approve('May I?')`)
		const waits = await deploy(host, account, asks)
		const { body } = await run(host, waits, {}, { prefer: 'respond-async' })
		const at = `/d/${new URL(waits.url).pathname.split('/').at(-1)}/runs/${body.id}`
		await until(async () => (await host.call(at, { token: account.token })).body.status === 'waiting')
		const { text } = await host.call(`${at}/events?full`, { token: account.token })
		expect(text).toMatch(/"request":\{"call":1,.*"content":"first"/)
		expect(text).toMatch(/run\.waiting/)
	})

	// Proves: journal.replay-changed
	test('with another version does so, too, and a version there is not is refused', async () => {
		const made = await host.call(`/v1/deployments/${agent.id}/versions`, {
			token: account.token,
			body: upload(await bundle('Whisper.\n')),
		})
		expect(made.status).toBe(201)
		expect((await replay('?version=2')).body.same).toBe(false)
		expect((await replay('?version=1')).body.same).toBe(true)
		expect((await replay('?version=9')).status).toBe(404)
	})

	// Proves: journal.replay-owner
	test('is its owner’s alone', async () => {
		const other = await host.account()
		expect((await replay('', other.token)).status).toBe(404)
		expect((await replay('', agent.run_key)).status).toBe(401)
	})

	test.each([
		[
			'computes for long',
			`let n = 0; for (let i = 0; i < 1e9; i++) n += i % 7; await ctx.model('again')`,
			'',
		],
		['asks for what never began', `for (let i = 0; i < 3; i++) ctx.model('nobody waits ' + i)`, ''],
		['was ended by a limit', `await ctx.model('once more')`, 'limits: { steps: 1 }\n'],
	])('is the same where the program %s', async (_, code, limits) => {
		const answer = await run(host, await deploy(host, account, await program(code, limits)))
		expect(await replay('', account.token, idOf(answer))).toMatchObject({ status: 200, body: { same: true } })
	})

	// Proves: journal.replay-changed
	test('of a program that failed shows where one that is mended goes on', async () => {
		const failed = await run(host, await deploy(host, account, await program(`throw new Error('broken')`)))
		const answer = await host.call<ReplayReport>(`/v1/runs/${idOf(failed)}/replay/bundle`, {
			token: account.token,
			body: upload(await program('')),
		})
		expect(answer.body).toMatchObject({
			same: false,
			effect: 2,
			recorded: { method: 'end', arguments: { code: 'agent_error' } },
			asked: { method: 'end', arguments: 'Done.' },
		})
	})
})
