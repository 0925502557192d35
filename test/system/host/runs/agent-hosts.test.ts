import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import { type Running, until } from '../../../kit/agent.ts'
import type { TestHost } from '../../../kit/host.ts'
import { at, made, pair, withPair } from '../../../kit/pair.ts'

// A caller of an agent whose balancer sends it to another host in the middle of a call.

/** Longer than a host waits for a caller to come back. */
withPair({ slow: { text: 'At last.', delayMs: 8_000 } })

async function client(agent: Running, host: TestHost) {
	const url = new URL(`${at(agent, host).url}/mcp`)
	const headers = { authorization: `Bearer ${agent.run_key}` }
	const transport = new TransportV2(url, { requestInit: { headers } })
	const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
	await client.connect(transport)
	onTestFinished(() => client.close())
	return client
}

// Proves: agent.mcp-come-back
test.each(['one', 'two'] as const)(
	'a call that host %s has lost goes on at the other, and the first does not cancel its run',
	async (first) => {
		const { one, two, account } = pair
		const agent = await made('slow')
		const { tools } = await (await client(agent, one)).listTools()
		const call = async (host: TestHost) =>
			(await client(agent, host)).callTool({
				name: tools[0]?.name ?? '',
				arguments: {},
				_meta: { 'berth/idempotency-key': `from ${first}` },
			})
		const [here, there] = first === 'one' ? [one, two] : [two, one]
		const left = await client(agent, here)
		const lost = left
			.callTool({
				name: tools[0]?.name ?? '',
				arguments: {},
				_meta: { 'berth/idempotency-key': `from ${first}` },
			})
			.catch((error: Error) => error)
		const runs = async () =>
			(await one.call<{ data: Run[] }>(`${agent.url}/runs`, { token: account.token })).body.data
		await until(async () => (await runs())[0]?.status === 'running')
		const back = call(there)
		await left.close()
		expect(await lost).toBeInstanceOf(Error)
		expect(await back).toMatchObject({ content: [{ text: 'At last.' }] })
		expect(await runs()).toMatchObject([{ status: 'succeeded' }])
	},
)
