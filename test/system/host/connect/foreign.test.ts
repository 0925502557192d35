import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { sharedHost } from '../../../kit/shared-host.ts'
import { type Foreign, startAimock, startEverything } from './foreign.ts'

// An agent whose tools and model are servers that others wrote: the peers of an owner, not the ones of these tests.

const image = 'get-tiny-image'
/** Calls of the model, one a turn, and what their answers hold. The last two are errors: of the schema, of the tool. */
const calls: { name: string; arguments: object; ok?: false; holds: string }[] = [
	{ name: 'get-sum', arguments: { a: 2, b: 3 }, holds: 'The sum of 2 and 3 is 5.' },
	{ name: 'get-structured-content', arguments: { location: 'Chicago' }, holds: '"humidity":82' },
	{ name: image, arguments: {}, holds: '[image: image-1.png]' },
	{ name: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 2 }, holds: 'Steps: 2.' },
	{ name: 'find_order', arguments: { id: 'A-7' }, holds: 'A-7 left on Friday' },
	{ name: 'get-structured-content', arguments: { location: 'Paris' }, ok: false, holds: '/location' },
	{ name: 'get-resource-reference', arguments: { resourceId: 0 }, ok: false, holds: 'Invalid resourceId: 0' },
]
const usage = { prompt_tokens: 10, completion_tokens: 2 }
const output = 'Five, and it left on Friday.'
/** Each answers only to the result of the call before it, but that an image comes in a message after it. */
const fixtures = [...calls, undefined].map((call, turnIndex, { [turnIndex - 1]: before }) => ({
	match: { turnIndex, ...(before && before.name !== image && { toolResultContains: before.holds }) },
	response: call
		? { toolCalls: [{ name: call.name, arguments: call.arguments }], usage }
		: { content: output, usage },
}))
const order = {
	name: 'find_order',
	description: 'Finds an order',
	inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
	result: 'A-7 left on Friday',
}

let host: TestHost
let account: TestAccount
let everything: Foreign
let aimock: Foreign

beforeAll(async () => {
	everything = await startEverything()
	aimock = await startAimock(fixtures, { tools: [order] })
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await Promise.all([host?.close(), everything?.close(), aimock?.close()])
})

async function deployed(provider: string, base: string): Promise<Running> {
	const needs = (connector: Foreign, tools: string[]) =>
		`{ connector: "${connector.url}/mcp", scopes: [], auth: none, kind: connector, tools: [${tools}] }`
	const names = new Set(calls.map(({ name }) => name))
	names.delete(order.name)
	const yaml = `requires: [${needs(everything, [...names])}, ${needs(aimock, [order.name])}]\n`
	const model = `{ provider: ${provider}, name: m, base_url: "${aimock.url}${base}" }`
	return deploy(host, account, await bundleOf({ model, yaml }))
}

/** What the model's server was asked at `path`, as it tells it. */
async function asked(path: string): Promise<unknown[]> {
	const entries = await (await fetch(`${aimock.url}/__aimock/journal`)).json()
	return (entries as { path: string; body: object }[]).filter((entry) => entry.path === path)
}

// Proves: provider.interfaces
test.each([
	['openai, api: responses', '/v1', '/v1/responses'],
	['openai, api: chat', '/v1', '/v1/chat/completions'],
	['anthropic', '', '/v1/messages'],
])('an agent of %s calls tools of two foreign servers', async (provider, base, path) => {
	const at = await deployed(provider, base)
	const { body } = await run(host, at)
	const counts = { model_calls: fixtures.length, tool_calls: calls.length, failed_tool_calls: 2 }
	const tokens = { input_tokens: 10 * fixtures.length, output_tokens: 2 * fixtures.length }
	expect(body).toMatchObject({ status: 'succeeded', output, usage: { ...counts, ...tokens } })

	const stream = { token: at.run_key, headers: { accept: 'text/event-stream' } }
	const { text } = await host.call(`${at.url}/runs/${body.id}/events`, stream)
	const completed = [...text.matchAll(/^data: (.*"type":"tool\.completed".*)$/gm)]
	expect(completed.map(([, event]) => JSON.parse(event ?? '').data)).toMatchObject(
		calls.map(({ name, ok = true, holds }) => ({ name, ok, output: expect.stringContaining(holds) })),
	)
	const streamed = { method: 'POST', body: { model: 'm', stream: true }, response: { status: 200 } }
	expect(await asked(path)).toMatchObject(fixtures.map(() => streamed))
})
