import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Run, RunEvent } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// The owner of a program sees where it failed, in the files as they were written. Whoever runs it does not.

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running

const files = {
	'agent.ts': `import { agent } from 'berth'
import { look } from './lib/look.ts'

interface Inputs { how: string }
export default agent<Inputs>(async ({ how }, ctx) => {
	const place: string = 'here'
	if (how === 'throw') return look(place)
	if (how === 'refused') {
		return ctx.model('hi', { tools: ['nothing'] })
	}
	if (how === 'log') console.error('seen:', new RangeError('too far'), new Error('cause', { cause: new Error('root') }))
	if (how === 'log') ctx.log('warn', 'it failed', new Error('second', { cause: new Error('root') }))
	return (await ctx.tools.call('dig', {})).output
})
`,
	'lib/look.ts': `
export function look(place: string): never {
	// A comment that is not compiled.
	throw new TypeError(\`nothing \${place}\`)
}
`,
	'skills/garden/SKILL.md': '---\nname: garden\ndescription: Digs\n---\nDig.\n',
	'skills/garden/tools.ts': `import { tool } from 'berth'
const shovel = (): string => { throw new Error('stone') }
export const dig = tool({ description: 'Digs', input: {}, run: () => shovel() })
`,
}

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'hi' } })
	host = await sharedHost()
	account = await host.account()
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	agent = await deploy(host, account, await bundleOf({ model, files }))
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

async function events(how: string, token = account.token): Promise<RunEvent[]> {
	const { body } = await run(host, agent, { how })
	const id = body.id ?? (body.run as { id: string }).id
	return eventsIn((await host.call(`${agent.url}/runs/${id}/events`, { token })).text)
}
const eventsIn = (text: string) =>
	Array.from(text.matchAll(/^data: (.*)$/gm), ([, json]) => JSON.parse(json as string) as RunEvent)
const stackOf = (all: RunEvent[], type: string) =>
	String(all.find((event) => event.type === type)?.data.stack).split('\n')

// Proves: run.stack-owner
test('run.failed has the stack with file, line and column of the TypeScript', async () => {
	expect(stackOf(await events('throw'), 'run.failed')).toEqual([
		'TypeError: nothing here',
		'    at look (lib/look.ts:4:8)',
		'    at agent.ts:7:30',
	])
})

test('a refused call fails where the program made it', async () => {
	const stack = stackOf(await events('refused'), 'run.failed')
	expect(stack[0]).toMatch(/There is no tool nothing; the agent has dig, skill\./)
	expect(stack[1]).toMatch(/agent\.ts:9:14\)?$/)
})

// Proves: run.stack-owner
test('an error that is logged has its stack, and the causes it names', async () => {
	const logs = (await events('log')).filter(({ type }) => type === 'log').map(({ data }) => data)
	expect(logs).toMatchObject([
		{ message: 'seen: RangeError: too far Error: cause', stack: expect.stringMatching(/agent\.ts:11:44/) },
		{
			message: 'it failed',
			data: 'Error: second',
			stack: expect.stringMatching(/agent\.ts:12:50\nCaused by: Error: root\n.*agent\.ts:12:79$/),
		},
	])
})

// Proves: run.stack-owner
test('a function that fails has its stack in tool.completed', async () => {
	expect(stackOf(await events('tool'), 'tool.completed')).toEqual([
		'Error: stone',
		'    at shovel (skills/garden/tools.ts:2:38)',
		'    at Object.run (skills/garden/tools.ts:3:70)',
		'    at async agent.ts:13:10',
	])
})

// Proves: run.usage-tool-failures
test('a run says how many of its tool calls failed, and 0 where that was not counted', async () => {
	const call = async (...args: string[]) =>
		berth(args, { env: { BERTH_URL: host.url, BERTH_TOKEN: account.token } })
	const { stderr } = await call('run', agent.name, '--input', 'how=tool')
	const [, id] = stderr.match(/(run_\w+): 0 model calls, 1 tool call \(1 failed\), 0 tokens/) ?? []
	expect(id).toBeDefined()
	const read = async () =>
		(await host.call<Run>(`${agent.url}/runs/${id}`, { token: account.token })).body.usage
	expect(await read()).toMatchObject({ tool_calls: 1, failed_tool_calls: 1 })
	expect((await call('runs', agent.name)).stdout).toMatch(new RegExp(`^${id} .* 1 failed tool call$`, 'm'))
	await withSql(
		host,
		(sql) => sql`
		update runs set usage = (usage::jsonb - 'failed_tool_calls')::json where id = ${id as string}`,
	)
	expect(await read()).toMatchObject({ tool_calls: 1, failed_tool_calls: 0 })
})

// Proves: run.stack-not-key
test('a run key sees no stack: in no answer, no event and no stream', async () => {
	const answer = await run(host, agent, { how: 'throw' })
	const stream = await run(host, agent, { how: 'throw' }, { accept: 'text/event-stream' })
	const read = await Promise.all(['throw', 'log', 'tool'].map((how) => events(how, agent.run_key)))
	expect(read.flat().length).toBeGreaterThan(8)
	for (const text of [answer.text, stream.text, JSON.stringify(read)]) {
		expect(text).not.toMatch(/stack|\.ts:\d/)
	}
	const own = await run(host, agent, { how: 'throw' }, { accept: 'text/event-stream' }, account.token)
	expect(own.text).toMatch(/lib\/look\.ts:4:8/)
})
